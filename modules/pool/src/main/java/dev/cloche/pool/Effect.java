package dev.cloche.pool;

import dev.cloche.vm.VmId;

/** What the pool's core wants done; the driver that does it tells the core how it went. */
sealed interface Effect {
    /** Make an entry. */
    record Restore(long ticket, StackKey key, Registration registration, VmId vm) implements Effect {}

    /** The restore of this ticket need not go on. */
    record Cancel(long ticket) implements Effect {}

    record Destroy(Entry entry) implements Effect {}

    /** Look at what lies on the shelves. */
    record Sweep() implements Effect {}

    record Tell(PoolEvent event) implements Effect {}
}
