package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.TerminationReason;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxLocks.Claim;
import java.time.Duration;
import java.util.Optional;

/**
 * Asks for a sandbox to be removed.
 *
 * @param force whether it is killed if it runs
 */
public record RemoveRequest(
        SandboxContext context, SandboxTerminator terminator, SandboxRecord sandbox, boolean force) {
    public void perform(Deadline deadline) {
        if (sandbox.status().active() && !force) {
            throw new SandboxException.StillRunning(sandbox.name(), sandbox.status());
        }
        terminator.end(sandbox, TerminationReason.SHUTDOWN_REQUESTED, Duration.ZERO, deadline);
        Optional<SandboxRecord> ended = context.store().byId(sandbox.id());
        if (ended.isPresent()) {
            if (ended.get().status().active()) {
                throw new SandboxException.StillRunning(
                        sandbox.name(), ended.get().status());
            }
            remove(ended.get(), deadline);
        }
    }

    /** Waits for its owner to let go of it. */
    private void remove(SandboxRecord ended, Deadline deadline) {
        switch (context.locks().claimPatiently(ended, deadline.orAfter(SandboxTerminator.RELEASE_LIMIT))) {
            case Claim.Gone() -> {}
            case Claim.Held() -> throw new SandboxException.Owned(ended.name());
            case Claim.Taken(OwnerLock lock, SandboxRecord now) -> {
                try (lock) {
                    removeUnder(lock, now);
                }
            }
        }
    }

    private void removeUnder(OwnerLock lock, SandboxRecord now) {
        if (context.store().doom(now.id())) {
            new SandboxRemoval(context).discard(lock, now);
            return;
        }
        Optional<SandboxRecord> there = context.store().byId(now.id());
        if (there.isPresent()) {
            throw new SandboxException.StillRunning(now.name(), there.get().status());
        }
        // Another process has just removed it, and its first lock with it.
        lock.directory().remove();
    }
}
