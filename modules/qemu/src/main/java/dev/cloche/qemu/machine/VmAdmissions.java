package dev.cloche.qemu.machine;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.SystemCallException;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.guard.StoredSpec;
import dev.cloche.qemu.guard.VmClaims;
import dev.cloche.qemu.guard.VmDirectory;
import dev.cloche.qemu.guard.VmRemoval;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.VmAdmission;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmLimits;
import dev.cloche.vm.VmSpec;
import dev.cloche.vmm.admission.ClaimFile;
import dev.cloche.vmm.admission.ClaimHolders;
import dev.cloche.vmm.admission.Holder;
import dev.cloche.vmm.admission.HostRoom;
import dev.cloche.vmm.admission.HostRoomReader;
import dev.cloche.vmm.admission.Ledger;
import dev.cloche.vmm.admission.VmClaim;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** Makes the directories of VMs, each with its claim, as the limits of the host admit them. */
public final class VmAdmissions {
    private final VmLayout layout;
    private final Supplier<Accelerator> accelerator;
    private final QemuPool pool;
    private final VmClaims claims;
    private final Ledger ledger;
    private final Supplier<VmLimits> limits;

    /**
     * @param accelerator of this host; the first answer may take a while
     * @param kill ends a VM and waits for that
     * @param limits asked at each admission
     */
    public VmAdmissions(
            VmLayout layout,
            Supplier<Accelerator> accelerator,
            QemuPool pool,
            BiFunction<VmId, Deadline, VmExit> kill,
            Supplier<VmLimits> limits) {
        this.layout = layout;
        this.accelerator = accelerator;
        this.pool = pool;
        this.limits = limits;
        claims = new VmClaims(layout);
        ClaimHolders holders = new ClaimHolders() {
            @Override
            public List<Holder> atMost() {
                return claims.atMost();
            }

            @Override
            public List<Holder> find() {
                return claims.find();
            }

            @Override
            public boolean retire(VmId entry, Deadline deadline) {
                return pool.retire(entry, kill, deadline);
            }
        };
        ledger = new Ledger(layout.stateRoot(), holders, limits, HostRoomReader.of(layout.stateRoot()));
    }

    /**
     * Makes the directory of a VM. Nothing is left of one that cannot be made.
     *
     * @return the owner's lock
     */
    public LockFile make(VmSpec spec) {
        return admitted(spec, spec.templateMaker(), claim -> {
            // Not forced to disk: no VM survives a crash of its host, so its empty directory need not.
            Path directory = Files.createDirectory(
                    layout.directory(spec.id()),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            LockFile lock = VmDirectory.own(layout, spec.id());
            try {
                StoredSpec.write(directory, spec);
                claim.writeTo(directory);
                return lock;
            } catch (IOException | RuntimeException e) {
                VmRemoval.unmake(directory, lock, e);
                throw e;
            }
        });
    }

    /**
     * Makes the directory of a VM that has ended that of one to come.
     *
     * @param ended throws if it has not, once the owner's lock is held
     * @return the owner's lock
     */
    public LockFile renew(VmSpec spec, Runnable ended) {
        return admitted(spec, spec.templateMaker(), claim -> {
            // Not before it is admitted: what its last VM claimed would count with the lock.
            LockFile lock = VmDirectory.own(layout, spec.id());
            try {
                ended.run();
                VmDirectory.renew(layout, spec);
                claim.writeTo(layout.directory(spec.id()));
                return lock;
            } catch (IOException | RuntimeException e) {
                lock.close();
                throw e;
            }
        });
    }

    /** Makes that of a pool entry. */
    public LockFile make(VmSpec spec, PoolSlot slot) {
        return admitted(spec, true, claim -> pool.make(spec, slot, claim::writeTo));
    }

    private interface Making {
        LockFile make(Written claim) throws IOException;
    }

    /** Writes the claim, if there is one. */
    private interface Written {
        void writeTo(Path directory) throws IOException;
    }

    private LockFile admitted(VmSpec spec, boolean pooled, Making making) {
        try {
            DurableFiles.ensureDirectory(layout.vms());
            if (!limits.get().on()) {
                return making.make(directory -> {});
            }
            VmClaim claim = claim(spec, pooled);
            return ledger.admit(
                    claim,
                    spec.admission().patience(),
                    () -> making.make(directory -> ClaimFile.write(directory, claim)));
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException e) {
            throw new VmException.Exists(spec.id());
        } catch (ClosedByInterruptException interrupted) {
            // While a file was written; the interrupt's status is set.
            throw new VmException.Interrupted("the making of VM " + spec.id());
        } catch (IOException | SystemCallException e) {
            throw new VmException.Storage(
                    "VM " + spec.id() + " cannot be made in " + layout.vms() + ": " + e.getMessage(),
                    "Check the owner and mode of that directory and the space on its disk.",
                    e);
        }
    }

    private VmClaim claim(VmSpec spec, boolean pooled) {
        return VmClaims.of(spec, accelerator.get(), pooled);
    }

    /** Does what {@link dev.cloche.vm.VmProvider#requirePossible} promises. */
    public void requirePossible(int memoryMiB, int cpus, int diskMiB, VmAdmission admission) {
        // What runs the guest, and how much of its memory it shares, is not known yet.
        ledger.requirePossible(new VmClaim(memoryMiB, 0, true, cpus, diskMiB, admission.labels(), false));
    }

    /** Does what {@link dev.cloche.vm.VmProvider#requireDiskRoom} promises. */
    public void requireDiskRoom() {
        ledger.requireDiskRoom();
    }

    /** Does what {@link dev.cloche.vm.VmProvider#countStateDisk} promises. */
    public void countStateDisk(Deadline deadline) {
        try {
            ledger.countStateDisk(deadline);
        } catch (ClosedByInterruptException interrupted) {
            // While the count was written; the interrupt's status is set.
            throw new VmException.Interrupted("the count of the state root's disk");
        } catch (IOException | SystemCallException e) {
            throw new VmException.Storage(
                    "What the state root takes of its disk cannot be counted: " + e.getMessage(),
                    "Check the owner and mode of its directories, and the space on its disk.",
                    e);
        }
    }

    /** Does what {@link dev.cloche.vm.VmProvider#memoryShortage} promises. */
    public Optional<String> memoryShortage() {
        return ledger.memoryShortage();
    }

    /** Does what {@link dev.cloche.vm.VmProvider#admit} promises. */
    public void admit(VmId entry, VmAdmission admission) {
        if (!limits.get().on()) {
            return;
        }
        VmClaim claim = claims.of(entry).handedOver(admission.labels());
        Path directory = layout.directory(entry);
        try {
            ledger.exchange(entry, claim, () -> ClaimFile.write(directory, claim));
        } catch (IOException | SystemCallException e) {
            throw new VmException.Storage(
                    "The claim of VM " + entry + " cannot be written: " + e.getMessage(),
                    "Check the space on the disk of the state root.",
                    e);
        }
    }

    private static String stateDisk(VmLimits limits, HostRoom host) {
        OptionalLong most = limits.stateDisk().of(host.diskTotalMiB());
        if (most.isEmpty()) {
            return "";
        }
        String ofMost = " of the " + most.getAsLong() + " MiB of disk that it may";
        return host.stateRootMiB().isPresent()
                ? "; the state root takes " + host.stateRootMiB().getAsLong() + ofMost
                : "; what the state root takes" + ofMost + " was not counted yet";
    }

    /** Returns what is claimed at present, in one sentence. */
    public String balance() {
        VmLimits now = limits.get();
        if (!now.on()) {
            return "off (CLOCHE_LIMITS): no VM is counted";
        }
        try {
            Ledger.Balance balance = ledger.balance();
            String bound = now.memory().of(balance.host().totalMiB()).stream()
                    .mapToObj(most -> " of " + most)
                    .findFirst()
                    .orElse("");
            int vms = balance.holders().size();
            int waiting = balance.waiting();
            return vms + (vms == 1 ? " VM claims " : " VMs claim ") + balance.claimedMiB() + bound + " MiB of memory"
                    + (waiting == 0 ? "" : ", and " + waiting + (waiting == 1 ? " waits" : " wait") + " for room")
                    + stateDisk(now, balance.host())
                    + (balance.host().pressure().isEmpty() ? "; this kernel does not say how short memory is" : "");
        } catch (IOException | SystemCallException e) {
            throw new VmException.Storage(
                    "The ledger of the limits cannot be read: " + e.getMessage(),
                    "Check the owner and mode of the state root.",
                    e);
        }
    }
}
