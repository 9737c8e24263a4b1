/** Sandboxes and their runs. */
@NullMarked
package dev.cloche.sandbox;

import org.jspecify.annotations.NullMarked;
