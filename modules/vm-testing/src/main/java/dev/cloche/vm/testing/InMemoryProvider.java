package dev.cloche.vm.testing;

import dev.cloche.base.Deadline;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.BootPolicy;
import dev.cloche.vm.OutputLog;
import dev.cloche.vm.PersistentDisks;
import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmCapabilities;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vmm.FoundGuest;
import dev.cloche.vmm.ManagedVm;
import dev.cloche.vmm.OpenVms;
import dev.cloche.vmm.RunningVm;
import dev.cloche.vmm.VmWaits;
import dev.cloche.vmm.disk.DiskStore;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * VMs without machines, for tests of what is above: their guests live in this JVM, speak the real protocol in real
 * frames, and know a handful of programs ({@code true false echo cat sleep env pwd hostname yes}, and {@code sh -c 'exit
 * N'}). Nothing is isolated, no disk is read, and a detached VM still ends with the JVM.
 */
public final class InMemoryProvider implements VmProvider {
    private final InMemoryFaults faults;
    private final BootPolicy policy;
    private final ConcurrentSkipListMap<VmId, InMemoryBackend> machines = new ConcurrentSkipListMap<>();
    private final InMemorySnapshots snapshots;
    private final InMemoryDisks disks;
    private final OpenVms open = new OpenVms();

    /** Makes a provider without faults. */
    public InMemoryProvider() {
        this(new InMemoryFaults(), BootPolicy.DEFAULT);
    }

    public InMemoryProvider(InMemoryFaults faults, BootPolicy policy) {
        this.faults = faults;
        this.policy = policy;
        snapshots = new InMemorySnapshots(faults);
        disks = new InMemoryDisks(snapshots);
    }

    @Override
    public Vm create(VmSpec spec) {
        return create(spec, Optional.empty());
    }

    @Override
    public Vm create(VmSpec spec, PoolSlot slot) {
        if (!spec.attached() || spec.templateMaker()) {
            throw new VmException.Invalid(
                    "A pool entry is no template's maker, and is not detached",
                    "Leave it attached until it is shelved.");
        }
        return create(spec, Optional.of(slot));
    }

    @Override
    public void requireDiskRoom() {
        faults.requireDiskRoom();
    }

    @Override
    public void countStateDisk(Deadline deadline) {
        faults.begin(InMemoryFaults.Step.COUNT_STATE_DISK);
    }

    @Override
    public Optional<String> memoryShortage() {
        return faults.memoryShortage();
    }

    private Vm create(VmSpec spec, Optional<PoolSlot> slot) {
        if (spec.hasNetwork()) {
            throw new VmException.Invalid("A guest in memory has no network", "Start it without one.");
        }
        faults.creating(spec);
        InMemoryBackend backend = new InMemoryBackend(spec, slot, faults, snapshots, disks, () -> {
            faults.destroying();
            machines.remove(spec.id());
        });
        if (machines.putIfAbsent(spec.id(), backend) != null) {
            throw new VmException.Exists(spec.id());
        }
        return open.add(ManagedVm.created(spec, backend, policy, open::remove));
    }

    @Override
    public Vm connect(VmId id, Deadline deadline) {
        InMemoryBackend backend = running(id, "be connected to");
        return open.add(ManagedVm.connected(id, backend.client(), open::remove, deadline));
    }

    @Override
    public Vm adopt(VmId id, Deadline deadline) {
        InMemoryBackend backend = running(id, "be adopted");
        RunningVm run = backend.own();
        FoundGuest found = backend.guest().orElseThrow().pause().paused() ? FoundGuest.PAUSED : FoundGuest.RUNNING;
        try {
            return open.add(
                    ManagedVm.adopted(backend.spec(), backend, run, backend.attached(), found, open::remove, deadline));
        } catch (RuntimeException e) {
            backend.release();
            throw e;
        }
    }

    @Override
    public VmExit kill(VmId id, Deadline deadline) {
        InMemoryBackend backend = machine(id);
        InMemoryGuest guest =
                backend.guest().orElseThrow(() -> new VmException.WrongState(id, VmState.CREATED, "be killed"));
        guest.die(VmExit.Cause.KILLED);
        return VmWaits.on(guest.ended(), deadline, "the end of VM " + id);
    }

    @Override
    public void limit(VmId id, Duration longest) {
        VmSpec.requireWithin("maximum duration", longest);
        InMemoryBackend backend = running(id, "be given a limit");
        if (backend.guest().filter(InMemoryGuest::isStopAsked).isPresent() || !backend.limit(longest)) {
            throw new VmException.WrongState(id, backend.info().state(), "be given a limit");
        }
    }

    @Override
    public void haltAtLimit(VmId id) {
        Optional.ofNullable(machines.get(id)).ifPresent(InMemoryBackend::haltAtLimit);
    }

    @Override
    public Optional<VmHindrance> hindrance(VmId id) {
        return Optional.ofNullable(machines.get(id))
                .flatMap(InMemoryBackend::guest)
                .filter(guest -> guest.pause().held())
                .map(_ -> VmHindrance.HELD);
    }

    @Override
    public void throttleDisk(VmId id, Supplier<WritableLayer.Throttle> throttle, Deadline deadline) {
        running(id, "have its disk bounded").throttle(throttle);
    }

    @Override
    public void pause(VmId id, Deadline deadline) {
        running(id, "be paused").guest().orElseThrow().pause().set(true);
    }

    @Override
    public void resume(VmId id, Deadline deadline) {
        running(id, "be resumed").guest().orElseThrow().pause().set(false);
    }

    @Override
    public void destroy(VmId id) {
        InMemoryBackend backend = machines.get(id);
        if (backend == null) {
            return;
        }
        if (backend.owned()) {
            throw new VmException.Busy("VM " + id + " belongs to an open handle", "Close that handle.");
        }
        VmState state = backend.info().state();
        if (state.live()) {
            throw new VmException.WrongState(id, state, "be destroyed");
        }
        machines.remove(id, backend);
    }

    @Override
    public boolean reclaim(VmId id, Deadline deadline) {
        return reclaim(id, _ -> true, deadline);
    }

    @Override
    public boolean reclaimOrphan(VmId id, Deadline deadline) {
        return reclaim(id, entry -> entry.stage() != PooledVm.Stage.SHELVED, deadline);
    }

    private boolean reclaim(VmId id, Predicate<PooledVm> wanted, Deadline deadline) {
        InMemoryBackend backend = machines.get(id);
        if (backend == null) {
            return true;
        }
        if (backend.pooled().isEmpty() || !backend.seize()) {
            return false;
        }
        try {
            if (backend.pooled().filter(wanted).isEmpty()) {
                return false;
            }
            faults.destroying();
            if (backend.info().state().live()) {
                kill(id, deadline);
            }
            machines.remove(id, backend);
            return true;
        } finally {
            backend.release();
        }
    }

    @Override
    public List<PooledVm> pooled() {
        faults.begin(InMemoryFaults.Step.POOLED);
        return machines.values().stream()
                .flatMap(backend -> backend.pooled().stream())
                .toList();
    }

    @Override
    public OutputLog outputLog(VmId id) {
        return machine(id).outputLog();
    }

    /** Returns the disks. Their directories are real, what guests write to them is in memory and ends with this provider. */
    @Override
    public PersistentDisks disks() {
        return new DiskStore(disks);
    }

    @Override
    public VmCapabilities capabilities() {
        return new VmCapabilities(
                "in-memory", "1", Accelerator.NONE, "none", true, "Guests are Java threads in this JVM.");
    }

    @Override
    public List<SnapshotRef> snapshots() {
        return snapshots.list();
    }

    @Override
    public Optional<SnapshotRef> snapshot(SnapshotName name) {
        return snapshots.find(name).map(InMemorySnapshots.Taken::ref);
    }

    @Override
    public String fingerprint(VmSpec spec) {
        List<Object> fields =
                List.of(spec.memoryMiB(), spec.cpus(), spec.rootDisk(), spec.writable(), spec.hasLogPort());
        try {
            byte[] text = fields.toString().getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public SnapshotRef copySnapshot(SnapshotName from, SnapshotName to) {
        return snapshots.copy(from, to);
    }

    @Override
    public void deleteSnapshot(SnapshotName name) {
        List<String> holders = clonesOf(name);
        if (!holders.isEmpty()) {
            throw new VmException.Busy(
                    "Snapshot " + name + " is used by VM " + String.join(", VM ", holders),
                    "Stop the VMs that were restored from it first.");
        }
        snapshots.delete(name);
    }

    @Override
    public boolean isSnapshotMapped(SnapshotName name) {
        return !clonesOf(name).isEmpty();
    }

    private List<String> clonesOf(SnapshotName name) {
        return machines.values().stream()
                .filter(backend -> backend.info().state().live())
                .map(InMemoryBackend::spec)
                .filter(spec -> spec.snapshot()
                        .filter(taken -> taken.name().equals(name))
                        .filter(taken -> taken.kind() == SnapshotRef.Kind.MAPPED)
                        .isPresent())
                .map(spec -> spec.id().value())
                .toList();
    }

    @Override
    public List<VmInfo> list() {
        return machines.values().stream().map(InMemoryBackend::info).toList();
    }

    @Override
    public Optional<VmInfo> get(VmId id) {
        return Optional.ofNullable(machines.get(id)).map(InMemoryBackend::info);
    }

    @Override
    public Optional<VmSpec> spec(VmId id) {
        return Optional.ofNullable(machines.get(id)).map(InMemoryBackend::spec);
    }

    @Override
    public boolean isOwned(VmId id) {
        return Optional.ofNullable(machines.get(id))
                .filter(InMemoryBackend::isOwned)
                .isPresent();
    }

    /**
     * Injects a fault: the guest ends without a word.
     *
     * @throws VmException.WrongState if it does not run
     */
    public void crash(VmId id) {
        guest(id).die(VmExit.Cause.EXITED);
    }

    /**
     * Does to a pool entry what its guard would at the age of its slot.
     *
     * @return false if it is not shelved
     */
    public boolean retire(VmId id) {
        return machine(id).retire();
    }

    /**
     * Injects a fault: the guest sends these bytes, unchecked, on every connection.
     *
     * @throws VmException.WrongState if it does not run
     */
    public void babble(VmId id, byte[] bytes) {
        guest(id).babble(bytes.clone());
    }

    @Override
    public void close() {
        try {
            open.closeAll();
        } finally {
            // They cannot be resumed any more, and the threads of a paused one wait for that.
            machines.values()
                    .forEach(backend ->
                            backend.guest().ifPresent(guest -> guest.pause().end()));
        }
    }

    private InMemoryGuest guest(VmId id) {
        return running(id, "have a fault").guest().orElseThrow();
    }

    private InMemoryBackend running(VmId id, String wanted) {
        InMemoryBackend backend = machine(id);
        VmState state = backend.info().state();
        if (!state.live()) {
            throw new VmException.WrongState(id, state, wanted);
        }
        return backend;
    }

    private InMemoryBackend machine(VmId id) {
        return Optional.ofNullable(machines.get(id)).orElseThrow(() -> new VmException.NotFound(id));
    }
}
