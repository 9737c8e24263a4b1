package dev.cloche.sandbox.snapshot;

import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.image.ImageReference;
import dev.cloche.image.PullListener;
import dev.cloche.linux.BootTime;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.Secrets;
import dev.cloche.sandbox.TemplateStore;
import dev.cloche.sandbox.directory.KeptSecrets;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxDirectory;
import dev.cloche.sandbox.directory.SandboxLocks.Claim;
import dev.cloche.sandbox.directory.SandboxUse;
import dev.cloche.sandbox.lifecycle.OwnedSandboxes;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import dev.cloche.sandbox.lifecycle.StartPlan;
import dev.cloche.sandbox.lifecycle.SuspensionRecovery;
import dev.cloche.sandbox.record.SnapshotNames;
import dev.cloche.sandbox.record.Suspended;
import dev.cloche.vm.PersistentDisk;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Asks for a suspended sandbox to go on from its memory, in the same run. Its guest is halted until the record has let go of the
 * memory: so a process that dies at any step leaves it gone on from there once, or not yet.
 *
 * @param secrets in place of all that it had; empty if it keeps its own
 * @param waitForRoom how long it waits where the host's limits leave no room; no longer than its start may take
 */
public record ResumeRequest(
        SnapshotContext snapshots, OwnedSandboxes owned, SandboxRecord sandbox, Secrets secrets, Duration waitForRoom) {
    private static final Duration RELEASE_LIMIT = Duration.ofSeconds(10);
    private static final Duration KILL_LIMIT = Duration.ofSeconds(30);

    /** Has it go on, and returns it as it runs, detached. */
    public SandboxRecord perform(PullListener listener, Deadline unlimited) {
        Deadline deadline = unlimited.orAfter(sandbox.policies().startTimeout());
        return switch (context().locks().claimPatiently(sandbox, deadline.orAfter(RELEASE_LIMIT))) {
            case Claim.Gone() -> throw new SandboxException.NotFound(sandbox.name());
            case Claim.Held() -> throw new SandboxException.Owned(sandbox.name());
            case Claim.Taken(OwnerLock lock, SandboxRecord now) -> {
                try {
                    yield resume(lock, now, listener, deadline);
                } catch (Throwable failure) {
                    lock.close();
                    throw failure;
                }
            }
        };
    }

    private SandboxRecord resume(OwnerLock lock, SandboxRecord now, PullListener listener, Deadline deadline) {
        // Its halted VM may be there still.
        var _ = new SuspensionRecovery(context()).settle(now, deadline);
        if (now.status() != SandboxStatus.SUSPENDED) {
            throw new SandboxException.Owned(now.name());
        }
        Suspended from =
                context().store().suspension(now.id()).orElseThrow(() -> new SandboxException.MemoryGone(now.name()));
        // So that no sweep takes the memory for one that is let go of for good.
        // What has just suspended the sandbox may hold this lock a moment longer than the sandbox's.
        OwnerLock memory = snapshots
                .store()
                .directory(from.snapshot())
                .map(snapshots::directory)
                .flatMap(directory -> directory.lockPatiently(deadline.orAfter(RELEASE_LIMIT)))
                .orElseThrow(() -> new SandboxException.Owned(now.name()));
        try (memory) {
            Secrets all = keepSecrets(now, lock.directory().secrets());
            Vm vm = loaded(now, from, lock.directory(), listener, deadline);
            letGoOn(now, vm, all, deadline);
            SandboxUse.touch(lock.directory());
            snapshots.tryDiscard(from.snapshot(), memory);
            SandboxRecord runs =
                    context().store().byId(now.id()).orElseThrow(() -> new SandboxException.NotFound(now.name()));
            return owned.letRun(runs, vm, lock);
        }
    }

    /**
     * A later start has those that are new, and so has a process that finishes this resume. Returns what the guest is to have; empty
     * if that is what its memory has.
     */
    private Secrets keepSecrets(SandboxRecord now, KeptSecrets kept) {
        if (secrets.isEmpty()) {
            return kept.read();
        }
        if (!now.ephemeral()) {
            kept.write(secrets);
        }
        return secrets;
    }

    /** Brings it up, halted, and records that it runs; if that fails, it is suspended as before. */
    private Vm loaded(
            SandboxRecord now, Suspended from, SandboxDirectory directory, PullListener listener, Deadline deadline) {
        SnapshotRef memory = context()
                .vms()
                .snapshot(SnapshotNames.ofVm(from.snapshot()))
                .orElseThrow(() -> new SandboxException.MemoryGone(now.name()));
        if (!context().store().move(now.id(), SandboxStatus.SUSPENDED, SandboxStatus.RESUMING)) {
            throw new SandboxException.Owned(now.name());
        }
        Optional<Vm> begun = Optional.empty();
        try {
            if (context()
                    .images()
                    .acquireHeld(
                            ImageReference.parse(now.image()),
                            SandboxContext.holder(now.id(), now.name()),
                            listener,
                            deadline)
                    .isEmpty()) {
                throw new SandboxException.NotRunning(now.name(), SandboxStatus.SUSPENDED);
            }
            Optional<Duration> until = from.timeLeft().map(BootTime.now()::plus);
            Vm vm = context().vms().recreate(spec(now, from, memory, directory, deadline));
            begun = Optional.of(vm);
            vm.load(deadline);
            if (now.policies().isSuspendedAtDeadline()) {
                context().vms().haltAtLimit(vm.id());
            }
            List<PublishedPort> ports = context().store().network(now.id()).channelPorts();
            if (!ports.isEmpty()) {
                var _ = context().vms().publish(vm.id(), ports, deadline);
            }
            if (!context()
                    .store()
                    .resumed(now.id(), context().vms().get(vm.id()).flatMap(VmInfo::guard), until)) {
                throw new SandboxException.NotRunning(now.name(), SandboxStatus.STOPPED);
            }
            return vm;
        } catch (Throwable failure) {
            Optional<Vm> vm = begun;
            Uninterrupted.after(failure, () -> {
                vm.ifPresent(ResumeRequest::end);
                context().store().move(now.id(), SandboxStatus.RESUMING, SandboxStatus.SUSPENDED);
            });
            throw failure;
        }
    }

    private VmSpec spec(
            SandboxRecord now, Suspended from, SnapshotRef memory, SandboxDirectory directory, Deadline deadline) {
        Duration left = Duration.ofNanos(deadline.remainingNanos());
        VmSpec restored = VmSpec.restored(SandboxTerminator.vmOf(now), memory)
                .withNetwork(context().store().network(now.id()).device())
                .withIsolation(now.policies().isolation())
                .withThrottle(now.policies().diskThrottle())
                .withAdmission(StartPlan.admission(
                        context().store().details(now).labels(), waitForRoom.compareTo(left) < 0 ? waitForRoom : left))
                .withAttached(false);
        VmSpec limited = from.timeLeft().map(restored::withMaxDuration).orElse(restored);
        VmSpec logged = memory.outputLog() ? limited.withOutputLogBytes(TemplateStore.LOG_BYTES) : limited;
        return context()
                .vms()
                .disks()
                .find(directory.disk())
                .map(PersistentDisk::layer)
                .map(logged::withWritable)
                .orElse(logged);
    }

    /** From here on it has the one life that was left in its memory. */
    private void letGoOn(SandboxRecord now, Vm vm, Secrets all, Deadline deadline) {
        try {
            vm.resume(() -> all.addedTo(new SuspensionRecovery(context()).identity()), deadline);
        } catch (Throwable failure) {
            Uninterrupted.after(failure, () -> {
                end(vm);
                new SandboxTerminator(context()).goneAfterResume(now.id());
            });
            throw failure;
        }
    }

    private static void end(Vm vm) {
        try {
            if (vm.state().live()) {
                var _ = vm.kill(Deadline.after(KILL_LIMIT));
            }
        } catch (VmException.WrongState ended) {
            // As was to be reached.
        } finally {
            vm.close();
        }
    }

    private SandboxContext context() {
        return snapshots.context();
    }
}
