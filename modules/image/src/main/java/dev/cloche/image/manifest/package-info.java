/** Reads the documents of images: indexes, manifests and configurations, and the JSON that they are written in. */
@NullMarked
package dev.cloche.image.manifest;

import org.jspecify.annotations.NullMarked;
