/** Compares Cloche with its alternatives, one class for each benchmark or part of one. */
@NullMarked
package dev.cloche.bench.compare;

import org.jspecify.annotations.NullMarked;
