/** Speaks to QEMU over QMP. */
@NullMarked
package dev.cloche.qemu.qmp;

import org.jspecify.annotations.NullMarked;
