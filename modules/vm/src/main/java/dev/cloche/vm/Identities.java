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

    /** Gives the guest what it is owed, if anything: a clone all of an identity, an original what its clones share with it. */
    void settle(GuestConnection guest, Deadline deadline) {
        if (machine.identityOwed()) {
            if (clone) {
                give(Optional.empty(), guest, deadline);
            } else {
                refresh(guest, deadline);
            }
        }
    }

    /** Before a snapshot: from here on neither the guest nor any clone of it takes work without an identity. */
    void quiesce(GuestConnection guest, Deadline deadline) {
        machine.identityOwed(true);
        guest.quiesce(deadline);
    }

    /** After a snapshot the original stays who it is, but its random numbers are its own again. */
    void refresh(GuestConnection guest, Deadline deadline) {
        GuestIdentity fresh = GuestIdentity.fresh(id.value(), Clock.systemUTC());
        GuestIdentity shared = GuestIdentity.UNCHANGED
                .withEntropy(fresh.entropy().orElseThrow())
                .withClock(fresh.clock().orElseThrow());
        guest.configure(shared, deadline);
        machine.identityOwed(false);
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
