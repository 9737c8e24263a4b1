/** Starts, joins, halts and ends VMs of QEMU. */
@NullMarked
package dev.cloche.qemu.machine;

import org.jspecify.annotations.NullMarked;
