/** Named machines and their TOML files. */
@NullMarked
package dev.cloche.machine;

import org.jspecify.annotations.NullMarked;
