/** Keeps images on this host: the files of the cache, what is recorded of them, checks, removal and pruning. */
@NullMarked
package dev.cloche.image.store;

import org.jspecify.annotations.NullMarked;
