package dev.cloche.pool;

import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.VmId;
import dev.cloche.vm.WritableLayer;
import java.time.Duration;
import java.util.Optional;

/** Says what an acquirer does at the hand-off of its VM. */
public interface HandOff {
    /**
     * Tells that this VM was chosen, and is still the pool's: an acquirer that keeps records of VMs writes it down now,
     * so that the VM is in the pool or in the records at every moment. Called again with another VM if this one turns
     * out broken. An exception leaves the VM in the pool, and is thrown on.
     */
    default void chosen(VmId vm) {}

    /**
     * Returns the time after which the VM is ended, counted from its hand-off, also if its owner has died; by default
     * never.
     */
    default Optional<Duration> longest() {
        return Optional.empty();
    }

    /** Returns what its guest may ask of its writable disk from the hand-off on; by default as much as it wants. */
    default WritableLayer.Throttle throttle() {
        return WritableLayer.Throttle.none();
    }

    /**
     * Returns the guest's new identity, asked for when the guest can take it, so that its clock is right; needs
     * entropy.
     */
    GuestIdentity identity();

    /**
     * Does, by the acquirer's thread, what can be done while the guest takes its identity. Called again with another VM if this
     * one turns out broken. An exception ends the VM, and is thrown on.
     */
    default void meanwhile(VmId vm) {}
}
