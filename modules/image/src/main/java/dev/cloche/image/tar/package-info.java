/** Reads and writes tar archives of all kinds, and trusts none of them. */
@NullMarked
package dev.cloche.image.tar;

import org.jspecify.annotations.NullMarked;
