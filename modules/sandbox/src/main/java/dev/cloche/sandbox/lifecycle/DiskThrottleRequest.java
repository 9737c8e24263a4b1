package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxPolicies;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxSpec;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxLocks.Claim;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmState;
import dev.cloche.vm.WritableLayer.Throttle;
import java.util.function.UnaryOperator;

/**
 * Asks for other limits of a sandbox's disk, also of one that another process owns. They are recorded first. What its VM gets is
 * read from the record when it is this request's turn to speak to QEMU: so of several requests the one that was recorded last is in
 * force, and of a process that dies in between the next start has them.
 */
public record DiskThrottleRequest(SandboxContext context, SandboxRecord sandbox) {
    /**
     * Records the limits, and has them hold where it runs.
     *
     * @return it as it is then
     */
    public SandboxRecord perform(UnaryOperator<Throttle> change, Deadline deadline) {
        return switch (sandbox.status()) {
            case STARTING, RESUMING -> throw new SandboxException.Starting(sandbox.name());
            // One that is being suspended may go on, if that fails.
            case RUNNING, PAUSED, SUSPENDING, DRAINING -> inForce(recorded(change), deadline);
            case CREATED, STOPPED, CRASHED, SUSPENDED -> atRest(change, deadline);
        };
    }

    /** Under its owner's lock, so that no start has read what is changed here and has not recorded yet that it starts. */
    private SandboxRecord atRest(UnaryOperator<Throttle> change, Deadline deadline) {
        return switch (context.locks().claimPatiently(sandbox, deadline.orAfter(SandboxTerminator.RELEASE_LIMIT))) {
            case Claim.Gone() -> throw new SandboxException.NotFound(sandbox.name());
            case Claim.Held() -> throw new SandboxException.Owned(sandbox.name());
            case Claim.Taken(OwnerLock lock, SandboxRecord _) -> {
                try (lock) {
                    yield recorded(change);
                }
            }
        };
    }

    private SandboxRecord recorded(UnaryOperator<Throttle> change) {
        return context.store()
                .throttleDisk(sandbox.id(), now -> changed(now, change))
                .orElseThrow(() -> new SandboxException.NotFound(sandbox.name()));
    }

    private static Throttle changed(SandboxRecord now, UnaryOperator<Throttle> change) {
        Throttle next = change.apply(now.policies().diskThrottle());
        if (now.diskMib().isEmpty() && !next.isNone()) {
            throw SandboxSpec.noDisk("The sandbox \"" + now.name() + "\" writes to its memory, so it has");
        }
        return switch (now.status()) {
            // It is being given what was recorded before.
            case STARTING, RESUMING -> throw new SandboxException.Starting(now.name());
            default -> next;
        };
    }

    private SandboxRecord inForce(SandboxRecord now, Deadline deadline) {
        if (now.diskMib().isEmpty()) {
            return now;
        }
        VmId vm = SandboxTerminator.vmOf(now);
        try {
            context.vms().throttleDisk(vm, () -> inRecord(now), deadline);
        } catch (VmException failure) {
            if (context.vms()
                    .get(vm)
                    .map(info -> info.state())
                    .filter(VmState::live)
                    .isPresent()) {
                throw failure;
            }
            // It has ended meanwhile, and has them when it starts the next time.
        }
        return now;
    }

    private Throttle inRecord(SandboxRecord known) {
        return context.store()
                .byId(known.id())
                .map(SandboxRecord::policies)
                .map(SandboxPolicies::diskThrottle)
                .orElseGet(Throttle::none);
    }
}
