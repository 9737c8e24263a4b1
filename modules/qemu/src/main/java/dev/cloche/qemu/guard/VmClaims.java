package dev.cloche.qemu.guard;

import dev.cloche.base.ClocheException;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.linux.SystemCallException;
import dev.cloche.qemu.VmLayout;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vmm.admission.ClaimFile;
import dev.cloche.vmm.admission.Holder;
import dev.cloche.vmm.admission.VmClaim;
import dev.cloche.vmm.disk.DiskDirectory;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the claims of VMs from their directories. A claim counts while the guard's lock is held or, before there is a guard, the
 * owner's: so it needs no lease, and ends with the processes that it stands for. What a claim says is remembered for as long as its
 * file is the same. Safe for use from several threads.
 */
public final class VmClaims {
    /** Of QEMU and the guard, besides the guest's memory. */
    private static final int PROGRAMS_MIB = 48;
    /** Of passt and the relay. */
    private static final int NETWORK_MIB = 20;
    /** Of what a guest's code is translated to, where the processor does not run it itself. */
    public static final int TRANSLATIONS_MIB = 256;

    private final VmLayout layout;
    private final Map<VmId, Known> known = new ConcurrentHashMap<>();

    /** A claim that was read, and of which file: one that changes, or is of another run, comes with a new file. */
    private record Known(FileState file, VmClaim claim) {}

    private record FileState(@Nullable Object key, FileTime modified, long size) {
        /** Returns that of a file; empty if there is none. */
        static Optional<FileState> of(Path file) {
            try {
                BasicFileAttributes now =
                        Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                return Optional.of(new FileState(now.fileKey(), now.lastModifiedTime(), now.size()));
            } catch (IOException none) {
                return Optional.empty();
            }
        }
    }

    public VmClaims(VmLayout layout) {
        this.layout = layout;
    }

    /** Returns what a VM is to claim before it starts. */
    public static VmClaim of(VmSpec spec, Accelerator accelerator, boolean pooled) {
        int translations = accelerator == Accelerator.KVM ? 0 : TRANSLATIONS_MIB;
        boolean mapped = !spec.templateMaker()
                && spec.snapshot()
                        .filter(taken -> taken.kind() == SnapshotRef.Kind.MAPPED)
                        .isPresent();
        return new VmClaim(
                spec.memoryMiB(),
                PROGRAMS_MIB + translations + (spec.hasNetwork() ? NETWORK_MIB : 0),
                mapped,
                spec.cpus(),
                diskMiB(spec.writable()),
                spec.admission().labels(),
                pooled);
    }

    private static long diskMiB(WritableLayer writable) {
        return switch (writable) {
            case WritableLayer.InMemory _ -> 0;
            case WritableLayer.Disk(int sizeMiB) -> sizeMiB;
            case WritableLayer.Persistent(Path directory) -> {
                try {
                    yield new DiskDirectory(directory).read().sizeMiB();
                } catch (ClocheException refusedWhenItStarts) {
                    yield 0;
                }
            }
        };
    }

    /**
     * Returns the VMs whose claims count now and those whose claims are only not removed yet, each clone as if all its memory were
     * its own, without their guards.
     */
    public List<Holder> atMost() {
        return all(this::atMost);
    }

    /** Returns the VMs whose claims count now, with what each clone has of its own, and their guards. */
    public List<Holder> find() {
        return all(this::measured);
    }

    private interface Reading {
        Optional<Holder> of(VmId id, Path directory);
    }

    private List<Holder> all(Reading reading) {
        List<Holder> found = new ArrayList<>();
        Set<VmId> seen = new HashSet<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(layout.vms())) {
            for (Path entry : entries) {
                String name = entry.getFileName().toString();
                if (VmId.isValid(name)) {
                    VmId id = new VmId(name);
                    seen.add(id);
                    reading.of(id, entry).ifPresent(found::add);
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
        known.keySet().retainAll(seen);
        return List.copyOf(found);
    }

    /** Returns that of one, whether it counts or not; for the holder of its owner's lock. */
    public VmClaim of(VmId id) {
        return claim(id, layout.directory(id));
    }

    private Optional<Holder> atMost(VmId id, Path directory) {
        Optional<FileState> file = claimFile(directory);
        // Whether one without a claim counts says its guard alone.
        Optional<VmClaim> found =
                file.isPresent() || counts(id, directory, file) ? remembered(id, directory, file) : Optional.empty();
        return found.map(claim -> new Holder(
                id, claim, claim.mapped() ? claim.wholeMiB() : 0, shelved(claim, directory), Optional.empty()));
    }

    private Optional<Holder> measured(VmId id, Path directory) {
        Optional<FileState> file = claimFile(directory);
        if (!counts(id, directory, file)) {
            return Optional.empty();
        }
        Optional<ProcessIdentity> guard = guard(new GuardFiles(directory));
        return remembered(id, directory, file).map(claim -> {
            long own = claim.mapped() ? guard.map(OwnMemory::mib).orElse(0L) : 0;
            return new Holder(id, claim, own, shelved(claim, directory), guard);
        });
    }

    private static Optional<FileState> claimFile(Path directory) {
        return FileState.of(directory.resolve(ClaimFile.NAME));
    }

    private static boolean counts(VmId id, Path directory, Optional<FileState> claimFile) {
        GuardFiles files = new GuardFiles(directory);
        try {
            return files.begun()
                    ? LockFile.isHeld(files.lock())
                    : claimFile.isPresent() && LockFile.isHeld(directory.resolve(VmLayout.OWNER_LOCK));
        } catch (SystemCallException e) {
            throw new VmException.Storage(
                    "Whether VM " + id + " lives cannot be found out: " + e.getMessage(),
                    "Check the owner and mode of " + directory + ".",
                    e);
        }
    }

    /** Reads a claim, unless its file is still the one that was read before. */
    private Optional<VmClaim> remembered(VmId id, Path directory, Optional<FileState> file) {
        Known before = known.get(id);
        if (before != null && file.filter(before.file()::equals).isPresent()) {
            return Optional.of(asItIs(before.claim(), directory));
        }
        VmClaim claim = claim(id, directory);
        if (Files.notExists(directory)) {
            // Removed since it was found to count: it has ended, and its claim was not to be read any more.
            return Optional.empty();
        }
        file.ifPresent(state -> known.put(id, new Known(state, claim)));
        return Optional.of(asItIs(claim, directory));
    }

    /** An entry's own claim stays when it becomes a sandbox that has no labels: that it was claimed says so. */
    private static VmClaim asItIs(VmClaim claim, Path directory) {
        return claim.pooled() && new PoolFiles(directory).claimed() ? claim.handedOver(Set.of()) : claim;
    }

    /** One that was started without limits has none, and a damaged one is as good as none: what it is made of is known too. */
    private VmClaim claim(VmId id, Path directory) {
        try {
            return ClaimFile.read(directory);
        } catch (IOException noneOrDamaged) {
            try {
                VmSpec spec = StoredSpec.read(directory, id);
                boolean pooled = new PoolFiles(directory).slot().isPresent();
                return of(spec, Accelerator.TCG, pooled || spec.templateMaker());
            } catch (VmException.Storage unknown) {
                if (Files.notExists(directory)) {
                    return VmClaim.UNKNOWN;
                }
                System.getLogger(Vm.class.getName())
                        .log(System.Logger.Level.WARNING, "VM " + id + " counts as one of the usual size", unknown);
                return VmClaim.UNKNOWN;
            }
        }
    }

    private static Optional<Duration> shelved(VmClaim claim, Path directory) {
        PoolFiles files = new PoolFiles(directory);
        return claim.pooled() && files.shelved() ? Optional.of(files.age(Instant.now())) : Optional.empty();
    }

    private static Optional<ProcessIdentity> guard(GuardFiles files) {
        try {
            return files.identity();
        } catch (VmException.Storage damaged) {
            return Optional.empty();
        }
    }
}
