/** Runs the decisions of the core: its lock, its threads and its clock. */
@NullMarked
package dev.cloche.pool.driver;

import org.jspecify.annotations.NullMarked;
