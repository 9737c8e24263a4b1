/** Drivers in a guest, the connections to their contexts, shells, and one cell from its request to its result. */
@NullMarked
package dev.cloche.interpreter.driver;

import org.jspecify.annotations.NullMarked;
