/** Holds what the directory of a sandbox has: locks, secrets, how far an end has come. */
@NullMarked
package dev.cloche.sandbox.directory;

import org.jspecify.annotations.NullMarked;
