/** Native calls by FFM: locks, pidfds, signals. */
@NullMarked
package dev.cloche.linux;

import org.jspecify.annotations.NullMarked;
