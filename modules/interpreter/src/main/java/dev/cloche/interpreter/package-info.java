/**
 * Code interpreters in sandboxes: contexts that keep their variables from one cell of code to the next.
 *
 * <p>All of it may still change.
 */
@Incubating
@NullMarked
package dev.cloche.interpreter;

import dev.cloche.base.Incubating;
import org.jspecify.annotations.NullMarked;
