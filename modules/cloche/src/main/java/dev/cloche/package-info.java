/** The library. */
@NullMarked
package dev.cloche;

import org.jspecify.annotations.NullMarked;
