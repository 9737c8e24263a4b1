/** OCI images to disks: registry, layers, index, pins. */
@NullMarked
package dev.cloche.image;

import org.jspecify.annotations.NullMarked;
