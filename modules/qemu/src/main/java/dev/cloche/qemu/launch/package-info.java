/** Writes the command lines of the guard, QEMU and passt. */
@NullMarked
package dev.cloche.qemu.launch;

import org.jspecify.annotations.NullMarked;
