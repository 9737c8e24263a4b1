/** Reads and writes the frames and records of docs/guest-protocol.md. */
@NullMarked
package dev.cloche.vmm.protocol;

import org.jspecify.annotations.NullMarked;
