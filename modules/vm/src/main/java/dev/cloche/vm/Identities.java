package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Sees to it that no guest is given out as the twin of another: which identity it gets when, across the processes that own it
 * one after the other.
 */
final class Identities {
    private final VmId id;
    private final Machine machine;
    private final boolean clone;

    Identities(VmId id, Machine machine, boolean clone) {
        this.id = id;
        this.machine = machine;
        this.clone = clone;
    }

    /** Gives the guest what it is owed, if anything. */
    void settle(GuestConnection guest, Deadline deadline) {
        if (machine.identityOwed()) {
            give(Optional.empty(), guest, deadline);
        }
    }

    /**
     * Gives the guest an identity, and takes note.
     *
     * @param given asked now; without one, a fresh identity
     */
    void give(Optional<Supplier<GuestIdentity>> given, GuestConnection guest, Deadline deadline) {
        GuestIdentity identity = given.orElse(() -> GuestIdentity.fresh(id.value(), Clock.systemUTC()))
                .get();
        if (clone && identity.entropy().isEmpty()) {
            throw new InvalidVmSpecException(
                    "VM " + id + " would share its random numbers with its siblings", "Give it entropy.");
        }
        guest.configure(identity, deadline);
        machine.identityOwed(false);
    }
}
