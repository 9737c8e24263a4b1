/** VMs, guard, guest channel; QEMU and in-memory providers. */
@NullMarked
package dev.cloche.vm;

import org.jspecify.annotations.NullMarked;
