package dev.cloche.sandbox.snapshot;

import dev.cloche.base.Deadline;
import dev.cloche.base.FlightRecording;
import dev.cloche.base.OperationWatch;
import dev.cloche.base.Uninterrupted;
import dev.cloche.sandbox.MainCommand;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxOperation;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxSnapshot;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxDirectory;
import dev.cloche.sandbox.directory.SandboxLocks.Claim;
import dev.cloche.sandbox.directory.SandboxUse;
import dev.cloche.sandbox.lifecycle.SandboxCleanup;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import dev.cloche.sandbox.record.SnapshotNames;
import dev.cloche.sandbox.record.SnapshotStore;
import dev.cloche.sandbox.record.Suspended;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.PersistentDisk;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongFunction;

/** Takes snapshots of sandboxes: as their owner, or of those without an owner. */
public final class SnapshotTaking {
    /** Is the limit of a call without a deadline. */
    public static final Duration LIMIT = Duration.ofMinutes(5);

    /** Is for a process that has just started or settled the sandbox, to let go of it. */
    private static final Duration RELEASE_LIMIT = Duration.ofSeconds(3);

    private final SnapshotContext snapshots;
    private final SandboxContext context;
    private final LongFunction<Optional<Vm>> ownVms;

    /**
     * Creates what takes snapshots.
     *
     * @param ownVms the VMs of the sandboxes that this process owns, by their rows' ids
     */
    public SnapshotTaking(SnapshotContext snapshots, LongFunction<Optional<Vm>> ownVms) {
        this.snapshots = snapshots;
        this.context = snapshots.context();
        this.ownVms = ownVms;
    }

    /**
     * Takes one.
     *
     * @param name empty for a fork
     * @return the place of a snapshot that is ready; its lock is the caller's to close
     */
    public SnapshotContext.Place take(SandboxRecord sandbox, Optional<String> name, Deadline deadline) {
        return switch (sandbox.status()) {
            case RUNNING -> ofRunning(sandbox, name, deadline.orAfter(LIMIT));
            case STOPPED, CRASHED, CREATED -> {
                if (name.isEmpty()) {
                    throw new SandboxException.NotRunning(sandbox.name(), sandbox.status());
                }
                yield ofDisk(sandbox, name);
            }
            case SUSPENDED -> ofSuspended(sandbox, name);
            case PAUSED, SUSPENDING, RESUMING, STARTING, DRAINING ->
                throw new SandboxException.NotRunning(sandbox.name(), sandbox.status());
        };
    }

    private SnapshotContext.Place ofRunning(SandboxRecord sandbox, Optional<String> name, Deadline deadline) {
        SnapshotContext.Place place = claim(sandbox, name, SandboxSnapshot.Contents.MEMORY);
        return filled(place, name, sandbox, SandboxSnapshot.Contents.MEMORY, () -> {
            SandboxUse.touch(context.locks().directory(sandbox));
            return Optional.of(asOwner(
                    sandbox,
                    EnumSet.of(SandboxStatus.RUNNING),
                    deadline,
                    vm -> vm.take(SnapshotNames.ofVm(place.id()), deadline).pause()));
        });
    }

    /** Its memory is on the disk already. */
    private SnapshotContext.Place ofSuspended(SandboxRecord sandbox, Optional<String> name) {
        SnapshotContext.Place place = claim(sandbox, name, SandboxSnapshot.Contents.MEMORY);
        return filled(place, name, sandbox, SandboxSnapshot.Contents.MEMORY, () -> {
            // It is not resumed meanwhile, which would delete its memory.
            if (!(claimed(sandbox) instanceof Claim.Taken(OwnerLock lock, SandboxRecord now))) {
                throw new SandboxException.Owned(sandbox.name());
            }
            try (lock) {
                if (now.status() != SandboxStatus.SUSPENDED) {
                    throw new SandboxException.NotRunning(now.name(), now.status());
                }
                Suspended memory = context.store()
                        .suspension(now.id())
                        .orElseThrow(() -> new SandboxException.MemoryGone(now.name()));
                var _ = context.vms()
                        .copySnapshot(SnapshotNames.ofVm(memory.snapshot()), SnapshotNames.ofVm(place.id()));
                return Optional.of(Duration.ZERO);
            } catch (SnapshotException.NotFound gone) {
                throw new SandboxException.MemoryGone(sandbox.name());
            }
        });
    }

    private SnapshotContext.Place ofDisk(SandboxRecord sandbox, Optional<String> name) {
        SandboxDirectory directory = context.locks().directory(sandbox);
        Optional<PersistentDisk> disk = context.vms().disks().find(directory.disk());
        if (disk.isEmpty() || sandbox.manifest().isEmpty()) {
            throw new SandboxException.NothingToKeep(sandbox.name(), sandbox.status());
        }
        SnapshotContext.Place place = claim(sandbox, name, SandboxSnapshot.Contents.DISK);
        return filled(place, name, sandbox, SandboxSnapshot.Contents.DISK, () -> {
            // It is not started meanwhile.
            if (!(claimed(sandbox) instanceof Claim.Taken(OwnerLock lock, SandboxRecord now))) {
                throw new SandboxException.Owned(sandbox.name());
            }
            try (lock) {
                refuseIfGoing(lock, now);
                if (now.status().active()) {
                    throw new SandboxException.Owned(sandbox.name());
                }
                context.vms()
                        .disks()
                        .copy(directory.disk(), place.lock().directory().disk());
                return Optional.empty();
            }
        });
    }

    SnapshotContext.Place claim(SandboxRecord sandbox, Optional<String> name, SandboxSnapshot.Contents contents) {
        context.vms().requireDiskRoom();
        NetworkSpec network = context.store().network(sandbox.id());
        Optional<MainCommand> main = context.store().mainCommand(sandbox.id());
        return snapshots
                .claim(new SnapshotStore.NewSnapshot(name, contents, sandbox, network, main))
                .orElseThrow(() -> new SandboxException.SnapshotExists(name.orElse("")));
    }

    /** Says what fills a snapshot. */
    private interface Filling {
        Optional<Duration> pause();
    }

    private SnapshotContext.Place filled(
            SnapshotContext.Place place,
            Optional<String> name,
            SandboxRecord sandbox,
            SandboxSnapshot.Contents contents,
            Filling filling) {
        OperationWatch<SandboxOperation.Snapshot> watch = context.operations()
                .begin(
                        SandboxOperation.Snapshot.class,
                        sandbox.name(),
                        FlightRecording.isAvailable() ? new JfrSnapshot() : null);
        try {
            if (!context.images()
                    .share(
                            SandboxContext.holder(sandbox.id(), sandbox.name()),
                            SnapshotNames.holder(place.id(), name.orElse(sandbox.name())))) {
                throw new SandboxException.NotRunning(sandbox.name(), sandbox.status());
            }
            Optional<Duration> pause = filling.pause();
            if (!snapshots.store().ready(place.id(), pause)) {
                throw new IllegalStateException("a snapshot was removed under its lock");
            }
            watch.succeeded((took, failure) ->
                    new SandboxOperation.Snapshot(sandbox.name(), sandbox.id(), name, contents, pause, took, failure));
            return place;
        } catch (Throwable failed) {
            try (OwnerLock lock = place.lock()) {
                Uninterrupted.run(() -> snapshots.tryDiscard(place.id(), lock));
            } finally {
                watch.failed(
                        failed,
                        (took, failure) -> new SandboxOperation.Snapshot(
                                sandbox.name(), sandbox.id(), name, contents, Optional.empty(), took, failure));
            }
            throw failed;
        }
    }

    /** Does something with the VM of a sandbox that this process owns, or that no process owns. */
    <T> T asOwner(SandboxRecord sandbox, Set<SandboxStatus> in, Deadline deadline, Function<Vm, T> work) {
        try {
            Optional<Vm> own = ownVms.apply(sandbox.id());
            if (own.isPresent()) {
                return work.apply(own.get());
            }
            if (!(claimed(sandbox) instanceof Claim.Taken(OwnerLock lock, SandboxRecord now))) {
                throw new SandboxException.OwnedElsewhere(sandbox.name());
            }
            try (lock) {
                refuseIfGoing(lock, now);
                if (!in.contains(now.status())) {
                    throw new SandboxException.NotRunning(now.name(), now.status());
                }
                try (Vm vm = context.vms().adopt(SandboxTerminator.vmOf(now), deadline)) {
                    return work.apply(vm);
                }
            }
        } catch (VmException.WrongState over) {
            throw notRunning(sandbox, over);
        }
    }

    /**
     * Refuses a sandbox that is being removed: its directory may have been deleted before it was made anew for this
     * lock.
     */
    private void refuseIfGoing(OwnerLock lock, SandboxRecord now) {
        if (now.ephemeral() && now.status().terminal()) {
            var _ = new SandboxCleanup(context).cleanUnder(lock, now.id());
            throw new SandboxException.NotFound(now.name());
        }
    }

    private RuntimeException notRunning(SandboxRecord sandbox, VmException over) {
        SandboxStatus now =
                context.store().byId(sandbox.id()).map(SandboxRecord::status).orElse(SandboxStatus.STOPPED);
        SandboxException.NotRunning ended = new SandboxException.NotRunning(sandbox.name(), now);
        ended.addSuppressed(over);
        return ended;
    }

    private Claim claimed(SandboxRecord sandbox) {
        try {
            return context.locks().claim(sandbox, Deadline.after(RELEASE_LIMIT));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException.Interrupted(sandbox.name());
        }
    }
}
