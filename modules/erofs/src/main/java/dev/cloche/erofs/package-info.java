/** Writes and reads EROFS file systems. */
@NullMarked
package dev.cloche.erofs;

import org.jspecify.annotations.NullMarked;
