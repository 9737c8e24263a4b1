/**
 * Says what a store of processes does, for those who write one: the transactions, the rows, and what stores share. Rooms
 * that use processes need none of it.
 */
@Incubating
@NullMarked
package dev.cloche.process.store;

import dev.cloche.base.Incubating;
import org.jspecify.annotations.NullMarked;
