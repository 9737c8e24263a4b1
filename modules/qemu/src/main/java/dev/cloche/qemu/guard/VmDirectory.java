package dev.cloche.qemu.guard;

import dev.cloche.linux.LockFile;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.linux.SystemCallException;
import dev.cloche.qemu.VmLayout;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads VMs from their directories and locks. */
public final class VmDirectory {
    private final VmLayout layout;

    public VmDirectory(VmLayout layout) {
        this.layout = layout;
    }

    /**
     * Takes the owner's lock.
     *
     * @throws VmException.Busy if another process has it
     * @throws VmException.NotFound if another process has just removed the VM
     */
    public static LockFile own(VmLayout layout, VmId id) {
        try {
            return LockFile.tryLock(layout.ownerLock(id))
                    .orElseThrow(() -> new VmException.Busy(
                            "VM " + id + " belongs to another process", "Let that process end, or stop the VM there."));
        } catch (SystemCallException e) {
            if (e.isForWantOfThePath()) {
                throw new VmException.NotFound(id);
            }
            throw e;
        }
    }

    /** Makes the directory of a VM that has ended that of one to come, for the holder of its owner's lock. */
    public static void renew(VmLayout layout, VmSpec spec) throws IOException {
        Path directory = layout.directory(spec.id());
        EarlierOutput.keep(directory, spec.outputLogBytes().orElse(0));
        StoredSpec.write(directory, spec);
    }

    public List<VmInfo> list() {
        List<VmInfo> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(layout.vms())) {
            for (Path entry : entries) {
                String name = entry.getFileName().toString();
                if (VmId.isValid(name)) {
                    get(new VmId(name)).ifPresent(found::add);
                }
            }
        } catch (NoSuchFileException none) {
            return List.of();
        } catch (IOException e) {
            throw new VmException.Storage(
                    "The VMs in " + layout.vms() + " cannot be listed: " + e.getMessage(),
                    "Check the owner and mode of that directory.",
                    e);
        }
        found.sort((a, b) -> a.id().compareTo(b.id()));
        return List.copyOf(found);
    }

    public Optional<VmInfo> get(VmId id) {
        Path directory = layout.directory(id);
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        GuardFiles files = new GuardFiles(directory);
        // The guard records itself only after it has taken its lock, so a probe after reading this never gets in its
        // way.
        Optional<ProcessIdentity> guard = files.identity();
        boolean startFailed = VmNote.START_FAILED.isIn(directory);
        if (guard.isEmpty()) {
            VmState state = startFailed ? VmState.FAILED : VmState.CREATED;
            return Optional.of(new VmInfo(id, state, guard, Optional.empty()));
        }
        if (LockFile.isHeld(files.lock())) {
            return Optional.of(new VmInfo(id, VmState.RUNNING, guard, Optional.empty()));
        }
        try {
            VmExit exit = files.exitOrLost();
            VmState state = startFailed || exit.crashed() ? VmState.FAILED : VmState.STOPPED;
            return Optional.of(new VmInfo(id, state, Optional.empty(), Optional.of(exit)));
        } catch (VmException.NotFound removedMeanwhile) {
            return Optional.empty();
        }
    }

    /** Returns the running VMs that were restored from a snapshot. */
    public List<String> clonesOf(SnapshotName name) {
        return list().stream()
                .filter(info -> info.state().live())
                .filter(info -> spec(info.id())
                        .flatMap(VmSpec::snapshot)
                        .filter(taken -> taken.name().equals(name))
                        .filter(taken -> taken.kind() == SnapshotRef.Kind.MAPPED)
                        .isPresent())
                .map(info -> info.id().value())
                .toList();
    }

    /** Returns the makers of templates that do not run. Unless its owner lives, no process will ever ask for one again. */
    public List<VmId> deadMakers() {
        return list().stream()
                .filter(info -> !info.state().live())
                .map(VmInfo::id)
                .filter(id -> spec(id).filter(VmSpec::templateMaker).isPresent())
                .toList();
    }

    /** Returns what it is made of; empty if that is gone, or of another version. */
    public Optional<VmSpec> spec(VmId id) {
        try {
            return Optional.of(StoredSpec.read(layout.directory(id), id));
        } catch (VmException.Storage goneOrOfAnotherVersion) {
            return Optional.empty();
        }
    }
}
