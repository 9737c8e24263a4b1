/** Runs VMs by QEMU, each under a guard of its own; see docs/vm.md. */
@NullMarked
package dev.cloche.qemu;

import org.jspecify.annotations.NullMarked;
