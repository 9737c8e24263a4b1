package dev.cloche.qemu.machine;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.SystemCallException;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.guard.PoolFiles;
import dev.cloche.qemu.guard.RuntimeDirectory;
import dev.cloche.qemu.guard.StoredSpec;
import dev.cloche.qemu.guard.VmDirectory;
import dev.cloche.qemu.guard.VmRemoval;
import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/** Manages the pool entries of a state root, made by any process. */
public final class QemuPool {
    /** No VM's name, so that no process sees what is not whole yet. */
    private static final String UNNAMED = ".new-";

    /** Making one takes milliseconds. */
    private static final Duration UNNAMED_FOR = Duration.ofSeconds(10);

    /** Writes files into a directory. */
    interface Filling {
        void into(Path directory) throws IOException;
    }

    private final VmLayout layout;
    private final VmDirectory vms;

    public QemuPool(VmLayout layout) {
        this.layout = layout;
        vms = new VmDirectory(layout);
    }

    /**
     * Makes the directory of an entry. It gets its name when it says what it is and is owned, so that a process that finds
     * it after a crash knows whose it was: no other record has it. Nothing is left of one that cannot be made.
     *
     * @param more writes what else belongs into it from the first
     * @return the owner's lock
     */
    LockFile make(VmSpec spec, PoolSlot slot, Filling more) throws IOException {
        Path unnamed = Files.createDirectory(
                layout.vms().resolve(UNNAMED + spec.id()),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        LockFile lock = LockFile.tryLock(unnamed.resolve(VmLayout.OWNER_LOCK)).orElseThrow();
        try {
            new PoolFiles(unnamed).write(slot);
            StoredSpec.write(unnamed, spec);
            more.into(unnamed);
            // To an existing name this fails, for a VM's directory is never empty.
            Files.move(unnamed, layout.directory(spec.id()), StandardCopyOption.ATOMIC_MOVE);
            return lock;
        } catch (IOException | RuntimeException e) {
            VmRemoval.unmake(unnamed, lock, e);
            throw e;
        }
    }

    public List<PooledVm> list(Instant now) {
        sweep(now);
        List<PooledVm> found = new ArrayList<>();
        for (VmInfo info : vms.list()) {
            PoolFiles files = new PoolFiles(layout.directory(info.id()));
            // In this order, so that one that is claimed meanwhile is not taken for one that was never shelved.
            boolean shelved = files.shelved();
            files.slot()
                    .flatMap(slot -> entry(info, slot, shelved, files.age(now)))
                    .ifPresent(found::add);
        }
        return List.copyOf(found);
    }

    private Optional<PooledVm> entry(VmInfo info, PoolSlot slot, boolean shelved, Duration age) {
        try {
            VmSpec spec = StoredSpec.read(layout.directory(info.id()), info.id());
            return Optional.of(
                    new PooledVm(info.id(), slot, stage(info, shelved), spec.snapshot(), spec.memoryMiB(), age));
        } catch (VmException.Storage goneMeanwhile) {
            return Optional.empty();
        }
    }

    private static PooledVm.Stage stage(VmInfo info, boolean shelved) {
        return info.exit().isPresent() ? PooledVm.Stage.ENDED : shelved ? PooledVm.Stage.SHELVED : PooledVm.Stage.OPEN;
    }

    /**
     * Ends and removes an entry that has no owner.
     *
     * @param kill ends a VM and waits for that
     * @return false if it has an owner, or was claimed
     */
    public boolean reclaim(VmId id, BiFunction<VmId, Deadline, VmExit> kill, Deadline deadline) {
        return reclaim(id, _ -> true, kill, deadline);
    }

    /**
     * Ends and removes an entry that has no owner and that none can use.
     *
     * @param kill ends a VM and waits for that
     * @return false if it has an owner, was claimed, or lies on its shelf by now
     */
    public boolean reclaimOrphan(VmId id, BiFunction<VmId, Deadline, VmExit> kill, Deadline deadline) {
        // Under the lock, for who looked saw it before its maker shelved it and let go of it.
        return reclaim(id, stage -> stage != PooledVm.Stage.SHELVED, kill, deadline);
    }

    private boolean reclaim(
            VmId id, Predicate<PooledVm.Stage> wanted, BiFunction<VmId, Deadline, VmExit> kill, Deadline deadline) {
        Path directory = layout.directory(id);
        if (!Files.isDirectory(directory)) {
            return true;
        }
        Optional<LockFile> lock;
        try {
            lock = LockFile.tryLock(layout.ownerLock(id));
        } catch (SystemCallException e) {
            if (!Files.isDirectory(directory)) {
                return true;
            }
            throw e;
        }
        if (lock.isEmpty()) {
            return false;
        }
        try (LockFile _ = lock.get()) {
            PoolFiles files = new PoolFiles(directory);
            Optional<VmInfo> vm = vms.get(id);
            if (files.slot().isEmpty()
                    || vm.filter(info -> !wanted.test(stage(info, files.shelved())))
                            .isPresent()) {
                return false;
            }
            if (vm.filter(info -> info.state().live()).isPresent()) {
                var _ = kill.apply(id, deadline);
            }
            new VmRemoval(layout).remove(id);
            return true;
        }
    }

    /**
     * Ends and removes an entry that lies on its shelf, for others to have its room.
     *
     * @param kill ends a VM and waits for that
     * @return false if a process is taking it, or has it, or it is gone
     */
    boolean retire(VmId id, BiFunction<VmId, Deadline, VmExit> kill, Deadline deadline) {
        Path directory = layout.directory(id);
        try {
            Optional<LockFile> lock =
                    Files.isDirectory(directory) ? LockFile.tryLock(layout.ownerLock(id)) : Optional.empty();
            if (lock.isEmpty()) {
                return false;
            }
            try (LockFile _ = lock.get()) {
                if (!new PoolFiles(directory).retire()) {
                    return false;
                }
                var _ = kill.apply(id, deadline);
                new VmRemoval(layout).remove(id);
                return true;
            }
        } catch (IOException | SystemCallException | VmException e) {
            System.getLogger(Vm.class.getName())
                    .log(System.Logger.Level.DEBUG, "pool entry " + id + " does not yield", e);
            return false;
        }
    }

    /** Removes what a process left that was killed before its entry had a name, or when it had one no more. */
    private void sweep(Instant now) {
        try {
            new VmRemoval(layout).finish();
            RuntimeDirectory.sweep(layout);
            removeUnnamed(now);
        } catch (IOException | SystemCallException e) {
            System.getLogger(Vm.class.getName())
                    .log(System.Logger.Level.DEBUG, "unfinished pool entries stay in " + layout.vms(), e);
        }
    }

    private void removeUnnamed(Instant now) throws IOException {
        try (DirectoryStream<Path> unnamed = Files.newDirectoryStream(layout.vms(), UNNAMED + "*")) {
            for (Path directory : unnamed) {
                if (Files.getLastModifiedTime(directory).toInstant().isAfter(now.minus(UNNAMED_FOR))) {
                    // Its maker may not have its lock yet.
                    continue;
                }
                Optional<LockFile> lock = LockFile.tryLock(directory.resolve(VmLayout.OWNER_LOCK));
                if (lock.isPresent()) {
                    try (LockFile _ = lock.get()) {
                        VmRemoval.empty(directory);
                    }
                }
            }
        } catch (NoSuchFileException noVmsAtAll) {
            return;
        }
    }
}
