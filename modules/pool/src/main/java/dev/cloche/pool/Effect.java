package dev.cloche.pool;

import dev.cloche.vm.PooledVm;
import dev.cloche.vm.VmId;

/** What the pool's core wants done; whoever does it says how it went. */
sealed interface Effect {
    /** Make an entry. */
    record Restore(long ticket, StackKey key, Registration registration, VmId vm) implements Effect {}

    /** Take over what another process has left. */
    record Adopt(long ticket, StackKey key, PooledVm left) implements Effect {}

    /** Whoever does the restore or adoption of this ticket need not go on. */
    record Cancel(long ticket) implements Effect {}

    record Check(Entry entry) implements Effect {}

    record Destroy(Entry entry, Eviction cause) implements Effect {}

    /** Let go of it; it stays on its shelf. */
    record Leave(Entry entry) implements Effect {}

    /** Look for what other processes have left. */
    record Sweep() implements Effect {}

    record Tell(PoolEvent event) implements Effect {}
}
