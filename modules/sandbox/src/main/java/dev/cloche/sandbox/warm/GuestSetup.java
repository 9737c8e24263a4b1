package dev.cloche.sandbox.warm;

import dev.cloche.sandbox.Secrets;
import dev.cloche.vm.GuestIdentity;
import java.time.Clock;

/** Describes the set-up of a guest as a sandbox's: its host name and secrets, however its VM came up. */
public record GuestSetup(String hostname, Secrets secrets) {
    /** Asked for when the guest can take it, so that its clock is right. */
    GuestIdentity identity(Clock clock) {
        return secrets.addedTo(GuestIdentity.fresh(hostname, clock));
    }
}
