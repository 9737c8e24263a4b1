/**
 * Finds the runtime artefact on the class path or the module path, which has the kernel, the agent, the guard and the base
 * image, and unpacks it once for all processes of a user.
 */
@NullMarked
package dev.cloche.runtime;

import org.jspecify.annotations.NullMarked;
