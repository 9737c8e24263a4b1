package dev.cloche.vm.testing;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.vm.DiskException;
import dev.cloche.vm.OutputLog;
import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vmm.RunningVm;
import dev.cloche.vmm.SnapshotCapture;
import dev.cloche.vmm.VmBackend;
import dev.cloche.vmm.disk.DiskDirectory;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/** One VM of the in-memory provider. */
final class InMemoryBackend implements VmBackend {
    private static final int CLIENTS = 7;

    private volatile VmSpec spec;
    private final InMemoryLog log;
    private final InMemoryFaults faults;
    private final InMemorySnapshots snapshots;
    private final InMemoryDisks disks;
    private final Runnable onDestroy;
    private final AtomicReference<Optional<InMemoryGuest>> guest = new AtomicReference<>(Optional.empty());
    private final AtomicReferenceArray<Boolean> clients = new AtomicReferenceArray<>(new Boolean[CLIENTS]);
    private final AtomicBoolean startFailed = new AtomicBoolean();
    private final AtomicBoolean owned = new AtomicBoolean(true);
    private final AtomicBoolean attached;
    private final AtomicBoolean identityOwed = new AtomicBoolean();
    private final AtomicBoolean capturing = new AtomicBoolean();
    private final InMemoryLimit limits = new InMemoryLimit();
    private final Optional<InMemoryShelf> shelf;

    /** @param slot its place in a pool */
    InMemoryBackend(
            VmSpec spec,
            Optional<PoolSlot> slot,
            InMemoryFaults faults,
            InMemorySnapshots snapshots,
            InMemoryDisks disks,
            Runnable onDestroy) {
        shelf = slot.map(InMemoryShelf::new);
        this.spec = spec;
        log = new InMemoryLog(spec.outputLogBytes().orElse(0));
        this.faults = faults;
        this.snapshots = snapshots;
        this.disks = disks;
        this.onDestroy = onDestroy;
        attached = new AtomicBoolean(spec.attached());
        for (int i = 0; i < CLIENTS; i++) {
            clients.set(i, false);
        }
    }

    @Override
    public RunningVm boot(Deadline deadline) {
        return begin(false);
    }

    @Override
    public RunningVm load(Deadline deadline) {
        return begin(true);
    }

    private RunningVm begin(boolean halted) {
        faults.begin(InMemoryFaults.Step.START);
        InMemoryGuest booting = spec.writable() instanceof WritableLayer.Persistent(Path directory)
                ? bootOn(new DiskDirectory(directory), halted)
                : new InMemoryGuest(faults, log, memory(), new InMemoryTree(), () -> {});
        booting.pause().set(halted);
        guest.set(Optional.of(booting));
        identityOwed.set(spec.snapshot().isPresent());
        spec.maxDuration().ifPresent(longest -> limits.set(booting, longest));
        return run(booting);
    }

    private InMemorySnapshots.Memory memory() {
        return spec.snapshot().map(snapshots::restore).orElse(InMemoryGuest.BOOTED);
    }

    /** The disk is the guest's until it ends; a snapshot is continued only on the disk as it was then. */
    private InMemoryGuest bootOn(DiskDirectory disk, boolean halted) {
        try (DiskDirectory.Claim _ = disk.claim()) {
            spec.snapshot().ifPresent(disk::requireAsOf);
            InMemorySnapshots.Memory memory = memory();
            InMemoryTree tree = disks.tree(disk.path());
            if (!halted) {
                disk.movesOn();
            }
            LockFile use = LockFile.tryLock(disk.useLock()).orElseThrow(() -> new DiskException.InUse(disk.path()));
            return new InMemoryGuest(faults, log, memory, tree, use::close);
        }
    }

    private InMemoryRunningVm run(InMemoryGuest running) {
        return new InMemoryRunningVm(spec, running, faults, connect(running), () -> attached.set(false), () -> {});
    }

    /** Returns a run for a new owner. */
    RunningVm own() {
        if (!owned.compareAndSet(false, true)) {
            throw new VmException.Busy(
                    "VM " + spec.id() + " belongs to an open handle", "Close that handle, or stop the VM there.");
        }
        return run(guest.get().orElseThrow());
    }

    boolean isOwned() {
        return owned.get();
    }

    VmSpec spec() {
        return spec;
    }

    /** Returns whether it ends with its owner. */
    boolean attached() {
        return attached.get() && !shelf.map(InMemoryShelf::shelved).orElse(false);
    }

    /** Returns a run for another client. */
    RunningVm client() {
        InMemoryGuest running = guest.get().orElseThrow();
        for (int i = 0; i < CLIENTS; i++) {
            int slot = i;
            if (clients.compareAndSet(slot, false, true)) {
                return new InMemoryRunningVm(
                        spec,
                        running,
                        faults,
                        connect(running),
                        () -> attached.set(false),
                        () -> clients.set(slot, false));
            }
        }
        throw new VmException.Busy("All client ports of VM " + spec.id() + " are taken", "Close a connection to it.");
    }

    Optional<InMemoryGuest> guest() {
        return guest.get();
    }

    OutputLog outputLog() {
        return log.open();
    }

    boolean owned() {
        return owned.get();
    }

    /** Becomes the owner only for the end; returns false if it has an owner. */
    boolean seize() {
        return owned.compareAndSet(false, true);
    }

    VmInfo info() {
        Optional<InMemoryGuest> present = guest.get();
        if (present.isEmpty()) {
            return new VmInfo(spec.id(), VmState.CREATED, Optional.empty(), Optional.empty());
        }
        Optional<VmExit> exit = Optional.ofNullable(present.get().ended().getNow(null));
        VmState state = exit.map(how -> startFailed.get() || how.crashed() ? VmState.FAILED : VmState.STOPPED)
                .orElse(VmState.RUNNING);
        Optional<ProcessIdentity> guard =
                state == VmState.RUNNING ? Optional.of(ProcessIdentity.current()) : Optional.empty();
        return new VmInfo(spec.id(), state, guard, exit);
    }

    @Override
    public SnapshotCapture capture(SnapshotName name, Deadline deadline) {
        return snapshots.capture(spec, name, guest.get().orElseThrow());
    }

    @Override
    public void identityOwed(boolean owed) {
        identityOwed.set(owed);
    }

    @Override
    public boolean identityOwed() {
        return identityOwed.get();
    }

    @Override
    public void capturing(boolean halted) {
        capturing.set(halted);
    }

    @Override
    public boolean capturing() {
        return capturing.get();
    }

    @Override
    public boolean shelve() {
        return shelf.filter(InMemoryShelf::shelve).isPresent();
    }

    @Override
    public boolean claim() {
        return shelf.filter(InMemoryShelf::claim).isPresent();
    }

    @Override
    public boolean limit(Duration longest) {
        guest.get().ifPresent(present -> limits.set(present, longest));
        return guest.get().isPresent();
    }

    /** Has its guest be halted at its limit. */
    void haltAtLimit() {
        limits.halts();
    }

    /** As its guard does at the age of its slot; false if it is not shelved. */
    boolean retire() {
        boolean retired = shelf.filter(InMemoryShelf::retire).isPresent();
        if (retired) {
            guest.get().ifPresent(present -> present.die(VmExit.Cause.POOL_AGE));
        }
        return retired;
    }

    /** Records what its guest may ask of its writable disk. */
    synchronized void throttle(Supplier<WritableLayer.Throttle> throttle) {
        if (spec.writable() instanceof WritableLayer.InMemory) {
            throw VmSpec.noDiskToBind();
        }
        spec = spec.withThrottle(throttle.get());
    }

    Optional<PooledVm> pooled() {
        return shelf.flatMap(present -> present.entry(spec, info()));
    }

    @Override
    public void startFailed() {
        startFailed.set(true);
    }

    @Override
    public String consoleTail() {
        return "";
    }

    @Override
    public Optional<String> advice() {
        return Optional.empty();
    }

    @Override
    public boolean mend() {
        return false;
    }

    @Override
    public void destroy() {
        onDestroy.run();
    }

    @Override
    public void release() {
        owned.set(false);
    }

    private static ByteChannel connect(InMemoryGuest guest) {
        try {
            return guest.connect();
        } catch (IOException e) {
            throw new VmException.StartFailed(
                    "No pipe could be made: " + e.getMessage(), "Raise the limit of files.", "", e);
        }
    }
}
