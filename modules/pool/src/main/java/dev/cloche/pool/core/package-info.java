/** Decides what a pool does: who gets which VM, what is restored, evicted and tried again. No threads, no clocks, no I/O. */
@NullMarked
package dev.cloche.pool.core;

import org.jspecify.annotations.NullMarked;
