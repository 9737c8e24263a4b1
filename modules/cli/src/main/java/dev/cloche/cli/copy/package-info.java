/** Copies files between the host and guests, for {@code cp} and {@code machine cp}. */
@NullMarked
package dev.cloche.cli.copy;

import org.jspecify.annotations.NullMarked;
