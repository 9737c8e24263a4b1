/** Has the contract of VMs: what a provider makes, what is done with a VM and its guest, values and errors. */
@NullMarked
package dev.cloche.vm;

import org.jspecify.annotations.NullMarked;
