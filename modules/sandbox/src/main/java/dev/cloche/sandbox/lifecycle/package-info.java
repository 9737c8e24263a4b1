/** Starts, keeps, pauses, ends and removes sandboxes. */
@NullMarked
package dev.cloche.sandbox.lifecycle;

import org.jspecify.annotations.NullMarked;
