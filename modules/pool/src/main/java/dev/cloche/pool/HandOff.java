package dev.cloche.pool;

import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.Optional;

/** What an acquirer does at the hand-off of its VM. */
public interface HandOff {
    /**
     * This VM was chosen, and is still the pool's: whoever keeps records of VMs writes it down now, so that the VM is in
     * one of the two at every moment. Called again with another VM if this one turns out broken. An exception leaves the
     * VM in the pool, and is thrown on.
     */
    default void chosen(VmId vm) {}

    /** After which the VM is ended from its hand-off on, whoever is alive then; by default never. */
    default Optional<Duration> longest() {
        return Optional.empty();
    }

    /** Its new identity, asked for when the guest can take it, so that its clock is right; needs entropy. */
    GuestIdentity identity();
}
