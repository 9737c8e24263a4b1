/** Keeps processes in memory, for tests. */
@NullMarked
package dev.cloche.process.testing;

import org.jspecify.annotations.NullMarked;
