/** Benchmarks. */
@NullMarked
package dev.cloche.bench;

import org.jspecify.annotations.NullMarked;
