/** Numbered SQL scripts, and the history in a database of those that have made its tables. */
@NullMarked
package dev.cloche.migration;

import org.jspecify.annotations.NullMarked;
