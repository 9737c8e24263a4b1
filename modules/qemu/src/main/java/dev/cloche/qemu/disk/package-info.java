/** Makes the disks that a guest sees: layers, the image, what is done to them while the VM runs. */
@NullMarked
package dev.cloche.qemu.disk;

import org.jspecify.annotations.NullMarked;
