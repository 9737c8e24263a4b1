package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.linux.PinnedProcess;
import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.SandboxEvent;
import dev.cloche.sandbox.SandboxEvents;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.StatusReached;
import dev.cloche.vm.VmInfo;
import java.util.Optional;
import java.util.Set;

/** Waits once for a status of a sandbox, which costs nothing while it lasts. */
public final class StatusWait implements AutoCloseable {
    private final SandboxContext context;
    private final SandboxTerminator terminator;
    private final SandboxEvents.Stream events;
    private final Set<SandboxStatus> wanted;
    private Optional<PinnedProcess> guard = Optional.empty();

    public StatusWait(
            SandboxContext context, SandboxTerminator terminator, SandboxEvents events, Set<SandboxStatus> wanted) {
        this.context = context;
        this.terminator = terminator;
        this.wanted = Set.copyOf(wanted);
        // From before the record is read, so that nothing is missed.
        this.events = events.from(Optional.empty());
    }

    /** Waits; empty if the sandbox is gone without having been in one of the statuses meanwhile */
    public Optional<StatusReached> until(SandboxRecord record, Deadline deadline) {
        try {
            return await(record, deadline);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException.Interrupted(record.name());
        }
    }

    private Optional<StatusReached> await(SandboxRecord record, Deadline deadline) throws InterruptedException {
        Optional<SandboxRecord> now = context.store().byId(record.id()).flatMap(terminator::settled);
        if (now.isPresent() && wanted.contains(now.get().status())) {
            return now.map(StatusWait::reached);
        }
        now.ifPresent(this::settleWhenItsVmEnds);
        while (true) {
            SandboxEvent event =
                    events.next(deadline).orElseThrow(() -> new SandboxException.WaitTooLong(record.name()));
            if (event.sandboxId() == record.id()) {
                Optional<SandboxStatus> status = status(event.kind()).filter(wanted::contains);
                if (status.isPresent()) {
                    return Optional.of(new StatusReached(status.get(), event.termination()));
                }
                if (event.kind() == SandboxEvent.Kind.REMOVED) {
                    return Optional.empty();
                }
                if (event.kind() == SandboxEvent.Kind.RUNNING) {
                    context.store().byId(record.id()).ifPresent(this::settleWhenItsVmEnds);
                }
            }
        }
    }

    private static StatusReached reached(SandboxRecord record) {
        return new StatusReached(record.status(), record.latestRun().flatMap(RunRecord::termination));
    }

    private static Optional<SandboxStatus> status(SandboxEvent.Kind kind) {
        return switch (kind) {
            case CREATED -> Optional.of(SandboxStatus.CREATED);
            case STARTING -> Optional.of(SandboxStatus.STARTING);
            case RUNNING, RESUMED -> Optional.of(SandboxStatus.RUNNING);
            case PAUSED -> Optional.of(SandboxStatus.PAUSED);
            case SUSPENDING -> Optional.of(SandboxStatus.SUSPENDING);
            case SUSPENDED -> Optional.of(SandboxStatus.SUSPENDED);
            case RESUMING -> Optional.of(SandboxStatus.RESUMING);
            case DRAINING -> Optional.of(SandboxStatus.DRAINING);
            case STOPPED -> Optional.of(SandboxStatus.STOPPED);
            case CRASHED -> Optional.of(SandboxStatus.CRASHED);
            case DETACHED, ADOPTED, RENAMED, REMOVED -> Optional.empty();
        };
    }

    /**
     * Settles it when its VM ends: perhaps no other process watches over it; then this one records its end, and so
     * hears of it.
     */
    private void settleWhenItsVmEnds(SandboxRecord record) {
        closeGuard();
        guard = record.latestRun()
                .flatMap(run -> context.vms().get(run.vm()))
                .flatMap(VmInfo::guard)
                .flatMap(PinnedProcess::open);
        guard.ifPresent(process -> {
            var _ = process.onEnd().thenRun(() -> settle(record));
        });
        if (guard.isEmpty()) {
            // Its VM may have ended right now.
            settle(record);
        }
    }

    private void settle(SandboxRecord record) {
        context.store().byId(record.id()).ifPresent(terminator::settled);
    }

    private void closeGuard() {
        guard.ifPresent(PinnedProcess::close);
        guard = Optional.empty();
    }

    @Override
    public void close() {
        closeGuard();
        events.close();
    }
}
