/** Runs the registry over a store: appends, leases, handles, waits, lists and prunes. */
@NullMarked
package dev.cloche.process.registry;

import org.jspecify.annotations.NullMarked;
