/** Has the commands of images and of the registries that they come from. */
@NullMarked
package dev.cloche.cli.image;

import org.jspecify.annotations.NullMarked;
