/**
 * Says what a store of processes does, for those who write one: the transactions, the rows, and what stores share. Rooms
 * that use processes need none of it.
 */
@NullMarked
package dev.cloche.process.store;

import org.jspecify.annotations.NullMarked;
