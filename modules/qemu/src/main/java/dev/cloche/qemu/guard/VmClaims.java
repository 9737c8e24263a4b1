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
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the claims of VMs from their directories. A claim counts while the guard's lock is held or, before there is a guard, the
 * owner's: so it needs no lease, and ends with the processes that it stands for.
 */
public final class VmClaims {
    /** Of QEMU and the guard, besides the guest's memory. */
    private static final int PROGRAMS_MIB = 48;
    /** Of passt and the relay. */
    private static final int NETWORK_MIB = 20;
    /** Of what a guest's code is translated to, where the processor does not run it itself. */
    public static final int TRANSLATIONS_MIB = 256;

    private final VmLayout layout;

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

    /** Returns the VMs whose claims count now. */
    public List<Holder> find() {
        List<Holder> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(layout.vms())) {
            for (Path entry : entries) {
                String name = entry.getFileName().toString();
                if (VmId.isValid(name)) {
                    holder(new VmId(name), entry).ifPresent(found::add);
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
        return List.copyOf(found);
    }

    /** Returns that of one, whether it counts or not; for the holder of its owner's lock. */
    public VmClaim of(VmId id) {
        return claim(id, layout.directory(id));
    }

    private Optional<Holder> holder(VmId id, Path directory) {
        GuardFiles files = new GuardFiles(directory);
        boolean guarded = files.begun();
        boolean claimed = Files.exists(directory.resolve(ClaimFile.NAME));
        try {
            boolean counts = guarded
                    ? LockFile.isHeld(files.lock())
                    : claimed && LockFile.isHeld(directory.resolve(VmLayout.OWNER_LOCK));
            if (!counts) {
                return Optional.empty();
            }
        } catch (SystemCallException e) {
            throw new VmException.Storage(
                    "Whether VM " + id + " lives cannot be found out: " + e.getMessage(),
                    "Check the owner and mode of " + directory + ".",
                    e);
        }
        Optional<ProcessIdentity> guard = guarded ? guard(files) : Optional.empty();
        VmClaim claim = claim(id, directory);
        if (Files.notExists(directory)) {
            // Removed since it was found to count: it has ended, and its claim was not to be read any more.
            return Optional.empty();
        }
        long own = claim.mapped() ? guard.map(OwnMemory::mib).orElse(0L) : 0;
        return Optional.of(new Holder(id, claim, own, shelved(claim, directory), guard));
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
