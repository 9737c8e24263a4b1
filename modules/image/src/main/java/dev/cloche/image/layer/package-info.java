/** Turns layers into EROFS files, and merges them into the disk of an image. */
@NullMarked
package dev.cloche.image.layer;

import org.jspecify.annotations.NullMarked;
