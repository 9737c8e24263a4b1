/** Takes snapshots of sandboxes, removes them, and starts children of them. */
@NullMarked
package dev.cloche.sandbox.snapshot;

import org.jspecify.annotations.NullMarked;
