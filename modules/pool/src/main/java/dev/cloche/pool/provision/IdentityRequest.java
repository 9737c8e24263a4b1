package dev.cloche.pool.provision;

import dev.cloche.pool.HandOff;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.VmException;

/** Asks an acquirer for its identity, and tells the acquirer's failures from the VM's. Used by one thread. */
final class IdentityRequest {
    private final HandOff handOff;
    private boolean failed;

    IdentityRequest(HandOff handOff) {
        this.handOff = handOff;
    }

    GuestIdentity ask() {
        try {
            return handOff.identity();
        } catch (Throwable e) {
            failed = true;
            throw e;
        }
    }

    /** Says whether another VM would fail likewise. */
    boolean wrong(Throwable why) {
        return failed || why instanceof VmException.Invalid || why instanceof GuestException.Refused;
    }
}
