package dev.cloche.pool.core;

import dev.cloche.pool.PoolEvent;
import dev.cloche.pool.Registration;
import dev.cloche.pool.StackKey;
import dev.cloche.vm.VmId;

/** Says what the pool's core wants done; the driver that does it tells the core how it went. */
public sealed interface PoolEffect {
    /** Make an entry. */
    record Restore(long ticket, StackKey key, Registration registration, VmId vm) implements PoolEffect {}

    /** The restore of this ticket need not go on. */
    record Cancel(long ticket) implements PoolEffect {}

    record Destroy(PoolEntry entry) implements PoolEffect {}

    /** Look at what lies on the shelves. */
    record Sweep() implements PoolEffect {}

    record Tell(PoolEvent event) implements PoolEffect {}
}
