/** The durable process registry: rules, in-memory and SQLite stores. */
@NullMarked
package dev.cloche.process;

import org.jspecify.annotations.NullMarked;
