package dev.cloche.pool.provision;

import dev.cloche.pool.HandOff;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.util.function.Supplier;

/** Calls an acquirer while its VM is continued, and tells the acquirer's failures from the VM's. Used by one thread. */
final class AcquirerCalls {
    private final HandOff handOff;
    private final VmId vm;
    private boolean failed;

    AcquirerCalls(HandOff handOff, VmId vm) {
        this.handOff = handOff;
        this.vm = vm;
    }

    GuestIdentity identity() {
        return call(handOff::identity);
    }

    void meanwhile() {
        var _ = call(() -> {
            handOff.meanwhile(vm);
            return vm;
        });
    }

    private <T> T call(Supplier<T> asked) {
        try {
            return asked.get();
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
