/** Finds out what runs guests on this host. */
@NullMarked
package dev.cloche.qemu.host;

import org.jspecify.annotations.NullMarked;
