/** Reads and writes the files of a VM: what its guard records, the notes beside it, its sockets. */
@NullMarked
package dev.cloche.qemu.guard;

import org.jspecify.annotations.NullMarked;
