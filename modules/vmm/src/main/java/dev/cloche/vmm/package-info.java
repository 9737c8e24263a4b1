/** Runs the lifecycle of a VM for any provider: what a provider has to supply, and what is the same for all. */
@NullMarked
package dev.cloche.vmm;

import org.jspecify.annotations.NullMarked;
