/** Brings images here and takes them elsewhere: pulls, archives that are loaded, archives that are saved. */
@NullMarked
package dev.cloche.image.transfer;

import org.jspecify.annotations.NullMarked;
