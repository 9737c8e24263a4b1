/**
 * Measurements of the hot paths, each beside its honest alternative in the same run. {@link dev.cloche.bench.BenchMain} runs
 * them; {@code docs/benchmarks.md} holds the figures.
 */
@NullMarked
package dev.cloche.bench;

import org.jspecify.annotations.NullMarked;
