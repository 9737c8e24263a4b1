/** Takes snapshots, keeps them, and restores VMs from them. */
@NullMarked
package dev.cloche.qemu.snapshot;

import org.jspecify.annotations.NullMarked;
