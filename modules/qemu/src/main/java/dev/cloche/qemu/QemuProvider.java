package dev.cloche.qemu;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.PinnedProcess;
import dev.cloche.qemu.guard.GuardFiles;
import dev.cloche.qemu.guard.GuardLimit;
import dev.cloche.qemu.guard.GuardOutputLog;
import dev.cloche.qemu.guard.GuardPorts;
import dev.cloche.qemu.guard.IsolationRecord;
import dev.cloche.qemu.guard.NetworkRecord;
import dev.cloche.qemu.guard.OrphanedSockets;
import dev.cloche.qemu.guard.PoolFiles;
import dev.cloche.qemu.guard.StoredSpec;
import dev.cloche.qemu.guard.TrafficRecord;
import dev.cloche.qemu.guard.VmDirectory;
import dev.cloche.qemu.guard.VmNote;
import dev.cloche.qemu.guard.VmRemoval;
import dev.cloche.qemu.host.IsolationChoice;
import dev.cloche.qemu.host.IsolationProbe;
import dev.cloche.qemu.host.LimitsChoice;
import dev.cloche.qemu.host.ProbedHost;
import dev.cloche.qemu.machine.ChannelPorts;
import dev.cloche.qemu.machine.QemuAdoption;
import dev.cloche.qemu.machine.QemuBackend;
import dev.cloche.qemu.machine.QemuPool;
import dev.cloche.qemu.machine.RunningQemu;
import dev.cloche.qemu.machine.RunningVmOperations;
import dev.cloche.qemu.machine.VmAdmissions;
import dev.cloche.qemu.snapshot.QemuContext;
import dev.cloche.qemu.snapshot.QemuDisks;
import dev.cloche.qemu.snapshot.QemuSnapshots;
import dev.cloche.qemu.snapshot.SnapshotManifest;
import dev.cloche.vm.BootPolicy;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.OutputLog;
import dev.cloche.vm.PersistentDisks;
import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmAdmission;
import dev.cloche.vm.VmCapabilities;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmIsolation;
import dev.cloche.vm.VmLimits;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vmm.FoundGuest;
import dev.cloche.vmm.ManagedVm;
import dev.cloche.vmm.OpenVms;
import dev.cloche.vmm.disk.DiskStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Provides VMs of QEMU, each under a guard of its own; see docs/vm.md. x86-64 only. */
public final class QemuProvider implements VmProvider {
    /** More than a guest takes on a host that is far too busy; who silently hangs is found by its guard in this time. */
    private static final Duration CONNECT_LIMIT = Duration.ofMinutes(2);

    private final VmLayout layout;
    private final BootPolicy policy;
    private final VmDirectory directory;
    private final ProbedHost host;
    private final QemuContext context;
    private final RunningVmOperations running;
    private final QemuSnapshots snapshots;
    private final QemuPool pool;
    private final VmAdmissions admissions;
    private final OpenVms open = new OpenVms();

    /** Makes a provider with the usual patience. Touches nothing yet. */
    public QemuProvider(VmLayout layout, VmResources resources) {
        this(layout, resources, BootPolicy.DEFAULT);
    }

    /**
     * @param isolation the least of walls that the configuration accepts, asked at each start; empty if it says nothing
     * @param limits what all VMs may take of the host together, asked at each start
     */
    public QemuProvider(
            VmLayout layout,
            VmResources resources,
            Supplier<Optional<Isolation>> isolation,
            Supplier<VmLimits> limits) {
        this(layout, resources, isolation, () -> false, limits);
    }

    /**
     * @param isolation the least of walls that the configuration accepts, asked at each start; empty if it says nothing
     * @param alarmEnds whether the first call that QEMU is refused ends its VM, asked at each start
     * @param limits what all VMs may take of the host together, asked at each start
     */
    public QemuProvider(
            VmLayout layout,
            VmResources resources,
            Supplier<Optional<Isolation>> isolation,
            BooleanSupplier alarmEnds,
            Supplier<VmLimits> limits) {
        this(layout, resources, BootPolicy.DEFAULT, new IsolationChoice(System.getenv(), isolation, alarmEnds), limits);
    }

    /** Makes a provider that counts no VM. */
    public QemuProvider(VmLayout layout, VmResources resources, BootPolicy policy) {
        this(
                layout,
                resources,
                policy,
                new IsolationChoice(System.getenv(), Optional::empty, () -> false),
                VmLimits::off);
    }

    private QemuProvider(
            VmLayout layout,
            VmResources resources,
            BootPolicy policy,
            IsolationChoice isolation,
            Supplier<VmLimits> limits) {
        this.layout = layout;
        this.policy = policy;
        directory = new VmDirectory(layout);
        LimitsChoice choice = new LimitsChoice(System.getenv(), limits);
        host = new ProbedHost(layout, resources);
        context =
                QemuContext.of(layout, resources, isolation, () -> choice.get().group(), host);
        running = new RunningVmOperations(layout);
        snapshots = new QemuSnapshots(context);
        pool = new QemuPool(layout);
        admissions = new VmAdmissions(
                layout, () -> context.host().get().capabilities().accelerator(), pool, running::kill, choice);
    }

    @Override
    public Vm create(VmSpec spec) {
        LockFile lock = admissions.make(spec);
        return open.add(ManagedVm.created(spec, machine(spec, lock), policy, open::remove));
    }

    @Override
    public Vm recreate(VmSpec spec) {
        VmId id = spec.id();
        VmState state = get(id).map(VmInfo::state).orElse(VmState.DESTROYED);
        if (state == VmState.DESTROYED) {
            return create(spec);
        }
        LockFile lock = admissions.renew(spec, () -> {
            if (get(id).filter(vm -> vm.state().live()).isPresent()) {
                throw new VmException.WrongState(id, VmState.RUNNING, "be made anew");
            }
        });
        return open.add(ManagedVm.created(spec, machine(spec, lock), policy, open::remove));
    }

    @Override
    public Vm create(VmSpec spec, PoolSlot slot) {
        if (!spec.attached() || spec.templateMaker()) {
            throw new VmException.Invalid(
                    "A pool entry is no template's maker, and is not detached",
                    "Leave it attached until it is shelved.");
        }
        LockFile lock = admissions.make(spec, slot);
        return open.add(ManagedVm.created(spec, machine(spec, lock), policy, open::remove));
    }

    @Override
    public void requirePossible(int memoryMiB, int cpus, int diskMiB, VmAdmission admission) {
        admissions.requirePossible(memoryMiB, cpus, diskMiB, admission);
    }

    @Override
    public Optional<String> memoryShortage() {
        return admissions.memoryShortage();
    }

    @Override
    public void requireDiskRoom() {
        admissions.requireDiskRoom();
    }

    @Override
    public void countStateDisk(Deadline deadline) {
        admissions.countStateDisk(deadline);
    }

    @Override
    public void admit(VmId entry, VmAdmission admission) {
        admissions.admit(entry, admission);
    }

    /** Returns what the VMs of this state root claim at present, in one sentence. */
    public String balance() {
        return admissions.balance();
    }

    @Override
    public boolean reclaim(VmId id, Deadline deadline) {
        return pool.reclaim(id, running::kill, deadline);
    }

    @Override
    public boolean reclaimOrphan(VmId id, Deadline deadline) {
        return pool.reclaimOrphan(id, running::kill, deadline);
    }

    @Override
    public boolean isPooled(VmId id) {
        return new PoolFiles(layout.directory(id)).slot().isPresent();
    }

    @Override
    public List<PooledVm> pooled() {
        return pool.list(Instant.now());
    }

    @Override
    public Vm connect(VmId id, Deadline unlimited) {
        Deadline deadline = unlimited.orAfter(CONNECT_LIMIT);
        recover(id, deadline);
        RunningQemu run = new QemuAdoption(layout, id, deadline).asClient(running.pin(id, "be connected to"));
        return open.add(ManagedVm.connected(id, run, open::remove, deadline));
    }

    /**
     * A detached VM whose owner died while it took a snapshot is halted, and no process would ever have it go on. An
     * attached one is about to be ended by its guard.
     */
    private void recover(VmId id, Deadline deadline) {
        GuardFiles files = new GuardFiles(layout.directory(id));
        if (files.capturing() && files.detached()) {
            try (Vm _ = adopt(id, deadline)) {
                // Which does it.
            } catch (VmException.Busy ownerLives) {
                return;
            }
        }
    }

    @Override
    public Vm adopt(VmId id, Deadline deadline) {
        PinnedProcess guard = running.pin(id, "be adopted");
        LockFile lock;
        VmSpec spec;
        try {
            lock = VmDirectory.own(layout, id);
        } catch (RuntimeException e) {
            guard.close();
            throw e;
        }
        try {
            spec = StoredSpec.read(layout.directory(id), id);
        } catch (RuntimeException e) {
            guard.close();
            lock.close();
            throw e;
        }
        QemuBackend backend = machine(spec, lock);
        QemuAdoption join = new QemuAdoption(layout, id, deadline);
        try {
            RunningQemu run = join.asOwner(guard);
            Path files = layout.directory(id);
            boolean shelved = new PoolFiles(files).shelved();
            boolean attached = !new GuardFiles(files).detached() && !shelved;
            // What lies on a shelf was halted before, and goes on only after it was claimed: nothing is to be asked.
            FoundGuest found = shelved ? FoundGuest.AT_REST : join.paused() ? FoundGuest.PAUSED : FoundGuest.RUNNING;
            return open.add(ManagedVm.adopted(spec, backend, run, attached, found, open::remove, deadline));
        } catch (RuntimeException e) {
            backend.release();
            throw e;
        }
    }

    private QemuBackend machine(VmSpec spec, LockFile ownerLock) {
        return new QemuBackend(spec, context, ownerLock);
    }

    @Override
    public VmExit kill(VmId id, Deadline deadline) {
        return running.kill(id, deadline);
    }

    @Override
    public void endWithin(VmId id, Duration longest) {
        Path files = layout.directory(id);
        // Before its limit: which is then no end that it came to by itself.
        VmNote.STOP_ASKED.leave(files);
        boolean _ = new GuardLimit(new GuardFiles(files), files).announce(longest);
    }

    @Override
    public void limit(VmId id, Duration longest) {
        VmSpec.requireWithin("maximum duration", longest);
        VmState state = get(id).orElseThrow(() -> new VmException.NotFound(id)).state();
        GuardLimit limit = new GuardLimit(new GuardFiles(layout.directory(id)), layout.directory(id));
        if (!state.live() || !limit.extend(id, longest)) {
            throw new VmException.WrongState(id, state, "be given a limit");
        }
    }

    @Override
    public void haltAtLimit(VmId id) {
        VmNote.HOLD_AT_LIMIT.leave(layout.directory(id));
    }

    @Override
    public void throttleDisk(VmId id, Supplier<WritableLayer.Throttle> throttle, Deadline deadline) {
        running.throttleDisk(id, throttle, deadline);
    }

    @Override
    public void pause(VmId id, Deadline deadline) {
        running.pause(id, deadline);
    }

    @Override
    public void resume(VmId id, Deadline deadline) {
        running.resume(id, deadline);
    }

    @Override
    public void destroy(VmId id) {
        Optional<VmInfo> info = get(id);
        if (info.isEmpty()) {
            return;
        }
        try (LockFile _ = VmDirectory.own(layout, id)) {
            VmState state = get(id).map(VmInfo::state).orElse(VmState.DESTROYED);
            if (state.live()) {
                throw new VmException.WrongState(id, state, "be destroyed");
            }
            new VmRemoval(layout).remove(id);
        } catch (VmException.NotFound destroyedMeanwhile) {
            // As was to be reached.
        }
    }

    @Override
    public OutputLog outputLog(VmId id) {
        if (get(id).isEmpty()) {
            throw new VmException.NotFound(id);
        }
        return new GuardOutputLog(
                layout.directory(id),
                () -> get(id).filter(vm -> vm.state().live()).isPresent());
    }

    @Override
    public PersistentDisks disks() {
        return new DiskStore(new QemuDisks(context.snapshots(), context.disks()));
    }

    @Override
    public VmCapabilities capabilities() {
        return context.host().get().capabilities();
    }

    @Override
    public List<VmInfo> list() {
        return directory.list();
    }

    @Override
    public Optional<VmInfo> get(VmId id) {
        return directory.get(id);
    }

    @Override
    public Optional<VmSpec> spec(VmId id) {
        return directory.spec(id);
    }

    @Override
    public boolean isOwned(VmId id) {
        return LockFile.isHeld(layout.ownerLock(id));
    }

    @Override
    public List<Path> straySockets() {
        return new OrphanedSockets(layout).find();
    }

    @Override
    public void removeStraySockets() {
        new OrphanedSockets(layout).remove();
    }

    @Override
    public Optional<VmHindrance> hindrance(VmId id) {
        // A guard that was killed has left its notes.
        return VmNote.hindrance(layout.directory(id))
                .filter(_ -> get(id).filter(vm -> vm.state().live()).isPresent());
    }

    /**
     * Finds out which walls a VM would get here.
     *
     * @throws VmException.IsolationUnavailable if less than the settings ask for is to be had
     * @throws VmException.MissingResource if it cannot be tried
     */
    public VmIsolation hostIsolation() {
        Isolation least = context.isolation().of(Optional.empty());
        return new IsolationProbe(
                        context.resources(),
                        layout.runtimeDirectory(),
                        least,
                        context.group().get())
                .find();
    }

    @Override
    public boolean isIsolated(VmId id, Optional<Isolation> least) {
        Isolation needed = context.isolation().of(least);
        return needed.compareTo(Isolation.AUTO) <= 0
                || isolation(id).filter(walls -> needed.accepts(walls.level())).isPresent();
    }

    @Override
    public boolean isAlarmed(VmId id) {
        // What was let through is noted too.
        return IsolationRecord.hasNotes(layout.directory(id))
                && isolation(id).filter(walls -> walls.denied() > 0).isPresent();
    }

    @Override
    public Optional<VmIsolation> isolation(VmId id) {
        if (get(id).filter(vm -> vm.state().live()).isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(IsolationRecord.read(layout.directory(id)));
        } catch (IOException e) {
            throw new VmException.Storage(
                    "The walls around VM " + id + " cannot be read: " + e.getMessage(),
                    "Check the state root's disk.",
                    e);
        }
    }

    @Override
    public List<PublishedPort> publishedPorts(VmId id) {
        try {
            Path files = layout.directory(id);
            return Stream.concat(NetworkRecord.read(files).stream(), new GuardPorts(id, files).current().stream())
                    .toList();
        } catch (IOException e) {
            throw new VmException.Storage(
                    "The ports of VM " + id + " cannot be read: " + e.getMessage(), "Check the state root's disk.", e);
        }
    }

    @Override
    public List<PublishedPort> publish(VmId id, List<PublishedPort> ports, Deadline deadline) {
        return ports(id).publish(ports, deadline);
    }

    @Override
    public void unpublish(VmId id, List<PublishedPort> ports, Deadline deadline) {
        ports(id).unpublish(ports, deadline);
    }

    private ChannelPorts ports(VmId id) {
        return new ChannelPorts(layout, id, running);
    }

    @Override
    public Optional<Duration> sincePortsUsed(VmId id) {
        try {
            return TrafficRecord.sinceUse(layout.directory(id));
        } catch (IOException e) {
            throw new VmException.Storage(
                    "The use of the ports of VM " + id + " cannot be read: " + e.getMessage(),
                    "Check the state root's disk.",
                    e);
        }
    }

    @Override
    public List<SnapshotRef> snapshots() {
        return snapshots.list();
    }

    @Override
    public Optional<SnapshotRef> snapshot(SnapshotName name) {
        return context.snapshots().read(name).map(SnapshotManifest::ref);
    }

    @Override
    public String fingerprint(VmSpec spec) {
        return snapshots.fingerprint(spec);
    }

    @Override
    public SnapshotRef copySnapshot(SnapshotName from, SnapshotName to) {
        return snapshots.copy(from, to);
    }

    @Override
    public void deleteSnapshot(SnapshotName name) {
        snapshots.delete(name);
    }

    @Override
    public boolean isSnapshotMapped(SnapshotName name) {
        return snapshots.isMapped(name);
    }

    @Override
    public void close() {
        try {
            open.closeAll();
        } finally {
            host.close();
        }
    }
}
