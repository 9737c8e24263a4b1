package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.sandbox.MainCommand;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxLocks.Claim;
import dev.cloche.vm.NetworkSpec;
import java.time.Duration;

/**
 * Asks for the start of a sandbox that was created, or has ended.
 *
 * @param waitForRoom how long it waits where the host's limits leave no room
 */
public record StartRequest(
        SandboxContext context,
        SandboxTerminator terminator,
        OwnedSandboxes owned,
        SandboxRecord sandbox,
        Duration waitForRoom) {
    public SandboxRecord perform(PullListener listener, Deadline deadline) {
        return switch (sandbox.status()) {
            case RUNNING -> sandbox;
            case STARTING -> throw new SandboxException.Starting(sandbox.name());
            case PAUSED, SUSPENDING, SUSPENDED, RESUMING, DRAINING ->
                throw new SandboxException.NotRunning(sandbox.name(), sandbox.status());
            case CREATED, STOPPED, CRASHED -> start(listener, deadline);
        };
    }

    private SandboxRecord start(PullListener listener, Deadline deadline) {
        MainCommand main = context.store()
                .mainCommand(sandbox.id())
                .orElseThrow(() -> new SandboxException.UnknownCommand(sandbox.name()));
        NetworkSpec network = context.store().network(sandbox.id());
        return switch (context.locks().claimPatiently(sandbox, deadline.orAfter(SandboxTerminator.RELEASE_LIMIT))) {
            case Claim.Gone() -> throw new SandboxException.NotFound(sandbox.name());
            case Claim.Held() -> throw new SandboxException.Owned(sandbox.name());
            case Claim.Taken(OwnerLock lock, SandboxRecord now) -> {
                if (now.status().active() || (now.ephemeral() && now.status().terminal())) {
                    try (lock) {
                        terminator.cleanUnder(lock, now.id());
                    }
                    throw now.status().active()
                            ? new SandboxException.Starting(now.name())
                            : new SandboxException.NotFound(now.name());
                }
                StartPlan plan = StartPlan.again(
                        now,
                        main,
                        network,
                        StartPlan.admission(context.store().details(now).labels(), waitForRoom));
                yield owned.letRun(new SandboxStart(context, terminator, plan, listener, deadline).again(now, lock, 0));
            }
        };
    }
}
