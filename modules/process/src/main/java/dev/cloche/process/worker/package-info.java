/** Keeps the leases of workers, and records what their drivers threw. */
@NullMarked
package dev.cloche.process.worker;

import org.jspecify.annotations.NullMarked;
