/** Keeps processes in the catalog of one host, and tells its other programs of commits. */
@NullMarked
package dev.cloche.process.sqlite;

import org.jspecify.annotations.NullMarked;
