/** Keeps machines under other names and in archives: snapshots, clones, exports and imports. */
@NullMarked
package dev.cloche.machine.archive;

import org.jspecify.annotations.NullMarked;
