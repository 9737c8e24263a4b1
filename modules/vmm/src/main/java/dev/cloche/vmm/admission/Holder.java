package dev.cloche.vmm.admission;

import dev.cloche.linux.ProcessIdentity;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.Optional;

/**
 * Describes a VM whose claim counts.
 *
 * @param ownMiB what it has of its own at present, if it is a clone; 0 where that is not known
 * @param shelved for how long it has been an entry of a warm pool that no process owns; empty if it is none
 * @param guard its guard, once there is one
 */
public record Holder(
        VmId id, VmClaim claim, long ownMiB, Optional<Duration> shelved, Optional<ProcessIdentity> guard) {}
