package dev.cloche.vmm;

import dev.cloche.base.Deadline;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.GuestNetwork;
import dev.cloche.vm.PendingIdentity;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vmm.channel.GuestConnection;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Gives guests their identities, so that none is given out as the twin of another: which identity it gets when, across the
 * processes that own it one after the other.
 */
final class GuestIdentities {
    private final VmId id;
    private final VmBackend backend;
    private final boolean clone;
    private final Optional<GuestNetwork> network;

    /** @param network its own; empty without one */
    GuestIdentities(VmId id, VmBackend backend, boolean clone, Optional<GuestNetwork> network) {
        this.id = id;
        this.backend = backend;
        this.clone = clone;
        this.network = network;
    }

    /** Gives the guest what it is owed, if anything: a clone all of an identity, an original what its clones share with it. */
    void settle(GuestConnection guest, Deadline deadline) {
        if (backend.identityOwed()) {
            if (clone) {
                giveFresh(guest, deadline);
            } else {
                configure(withNetwork(shared()), guest, deadline);
            }
        }
    }

    /** Before a snapshot: from here on neither the guest nor any clone of it takes work without an identity. */
    void quiesce(GuestConnection guest, Deadline deadline) {
        backend.identityOwed(true);
        guest.quiesce(deadline);
    }

    /** After a snapshot the original stays who it is, but its random numbers are its own again. */
    void refresh(GuestConnection guest, Deadline deadline) {
        configure(shared(), guest, deadline);
    }

    /** Returns what every guest needs anew, and nothing else. */
    private GuestIdentity shared() {
        GuestIdentity fresh = GuestIdentity.fresh(id.value(), Clock.systemUTC());
        return GuestIdentity.UNCHANGED
                .withEntropy(fresh.entropy().orElseThrow())
                .withClock(fresh.clock().orElseThrow());
    }

    private GuestIdentity withNetwork(GuestIdentity identity) {
        return network.filter(own -> identity.network().isEmpty())
                .map(identity::withNetwork)
                .orElse(identity);
    }

    private void configure(GuestIdentity identity, GuestConnection guest, Deadline deadline) {
        begin(identity, guest, deadline).await();
    }

    private PendingIdentity begin(GuestIdentity identity, GuestConnection guest, Deadline deadline) {
        PendingIdentity sent = guest.beginConfigure(identity, deadline);
        return () -> {
            sent.await();
            backend.identityOwed(false);
        };
    }

    /** Gives the guest a fresh identity, and takes note. */
    void giveFresh(GuestConnection guest, Deadline deadline) {
        send(() -> GuestIdentity.fresh(id.value(), Clock.systemUTC()), guest, deadline)
                .await();
    }

    /**
     * Sends the guest an identity; that it has it is noted when it has been waited for.
     *
     * @param given asked now
     */
    PendingIdentity send(Supplier<GuestIdentity> given, GuestConnection guest, Deadline deadline) {
        GuestIdentity identity = given.get();
        if (clone && identity.entropy().isEmpty()) {
            throw new VmException.Invalid(
                    "VM " + id + " would share its random numbers with its siblings", "Give it entropy.");
        }
        return begin(withNetwork(identity), guest, deadline);
    }
}
