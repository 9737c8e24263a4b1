/** Gives tests of JUnit sandboxes, and skips them on hosts that cannot run VMs. */
@NullMarked
package dev.cloche.junit;

import org.jspecify.annotations.NullMarked;
