/** Has VMs in memory for tests, with faults to inject, and the contract suites that every provider passes. */
@NullMarked
package dev.cloche.vm.testing;

import org.jspecify.annotations.NullMarked;
