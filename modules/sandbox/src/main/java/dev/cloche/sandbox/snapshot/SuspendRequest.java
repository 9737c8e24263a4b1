package dev.cloche.sandbox.snapshot;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.linux.LockFile;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxSnapshot;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.sandbox.record.SnapshotNames;
import dev.cloche.sandbox.warm.Stopwatch;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmState;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Asks for the suspension of a sandbox: a snapshot without a name, from which its run goes on, and nothing else does. The record
 * says so while the guest is halted, and only then its VM ends.
 *
 * @param renewed whether it has its longest duration once more when it goes on
 * @param withoutSecrets whether its guest and this host lose its secrets before, also if the suspension fails afterwards
 */
public record SuspendRequest(
        SnapshotContext snapshots,
        SnapshotTaking taking,
        SandboxRecord sandbox,
        boolean renewed,
        boolean withoutSecrets) {
    private static final Set<SandboxStatus> SUSPENDABLE = EnumSet.of(SandboxStatus.RUNNING, SandboxStatus.PAUSED);

    /**
     * Suspends it; one that is suspended stays so.
     *
     * @throws SandboxException.NotRunning if it does not run, or its secrets are to go and its guest is halted already
     */
    public void perform(Deadline unlimited) {
        switch (sandbox.status()) {
            case SUSPENDED -> requireSecretsToStay();
            case RUNNING, PAUSED -> suspend(unlimited.orAfter(SnapshotTaking.LIMIT));
            case SUSPENDING, RESUMING -> throw new SandboxException.Owned(sandbox.name());
            case CREATED, STARTING, DRAINING, STOPPED, CRASHED ->
                throw new SandboxException.NotRunning(sandbox.name(), sandbox.status());
        }
    }

    private void suspend(Deadline deadline) {
        SnapshotContext.Place place = taking.claim(sandbox, Optional.empty(), SandboxSnapshot.Contents.MEMORY);
        try (OwnerLock lock = place.lock()) {
            try {
                boolean _ = taking.asOwner(sandbox, SUSPENDABLE, deadline, vm -> suspend(vm, place.id(), deadline));
            } catch (Throwable failure) {
                if (!isSuspended()) {
                    Uninterrupted.after(failure, () -> snapshots.tryDiscard(place.id(), lock));
                    throw failure;
                }
                System.getLogger(SuspendRequest.class.getName())
                        .log(
                                System.Logger.Level.DEBUG,
                                "the halted VM of sandbox " + sandbox.name() + " has not ended yet",
                                failure);
            }
        }
    }

    private boolean isSuspended() {
        return context()
                .store()
                .byId(sandbox.id())
                .filter(now -> now.status() == SandboxStatus.SUSPENDED)
                .isPresent();
    }

    /** A guest that is halted cannot let go of them. */
    private void requireSecretsToStay() {
        if (withoutSecrets) {
            throw new SandboxException.NotRunning(sandbox.name(), sandbox.status());
        }
    }

    private void dropSecrets(Vm vm, Deadline deadline) {
        if (vm.state() != VmState.RUNNING) {
            requireSecretsToStay();
        }
        vm.guest().configure(GuestIdentity.UNCHANGED.withEarlierSecretsRemoved(), deadline);
        context().locks().directory(sandbox).secrets().forget();
    }

    private boolean suspend(Vm vm, long snapshot, Deadline deadline) {
        if (withoutSecrets) {
            dropSecrets(vm, deadline);
        }
        SandboxStatus before = begin(deadline);
        Stopwatch watch = Stopwatch.start();
        try {
            var _ = vm.suspend(
                    SnapshotNames.ofVm(snapshot),
                    whole -> {
                        if (!context().store().suspended(sandbox.id(), snapshot, watch.elapsed(), renewed)) {
                            throw new SandboxException.NotRunning(sandbox.name(), SandboxStatus.STOPPED);
                        }
                    },
                    deadline);
            return true;
        } catch (Throwable failure) {
            Uninterrupted.after(failure, () -> takeBack(before));
            throw failure;
        }
    }

    /** No process halts it or lets it go on meanwhile: what they do to the guest comes after what they record. */
    private SandboxStatus begin(Deadline deadline) {
        try (LockFile _ = context()
                .locks()
                .directory(sandbox)
                .lockPause(deadline)
                .orElseThrow(() -> new SandboxException.Owned(sandbox.name()))) {
            for (SandboxStatus status : SUSPENDABLE) {
                if (context().store().move(sandbox.id(), status, SandboxStatus.SUSPENDING)) {
                    return status;
                }
            }
            SandboxStatus now = context()
                    .store()
                    .byId(sandbox.id())
                    .map(SandboxRecord::status)
                    .orElse(SandboxStatus.STOPPED);
            throw new SandboxException.NotRunning(sandbox.name(), now);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException.Interrupted(sandbox.name());
        }
    }

    /** Its guest goes on, or is halted as it was. Of one that is suspended or has ended, nothing is changed. */
    private void takeBack(SandboxStatus before) {
        try {
            context().store().move(sandbox.id(), SandboxStatus.SUSPENDING, before);
        } catch (ClocheException full) {
            System.getLogger(SuspendRequest.class.getName())
                    .log(System.Logger.Level.DEBUG, "a sweep takes the suspension back", full);
        }
    }

    private SandboxContext context() {
        return snapshots.context();
    }
}
