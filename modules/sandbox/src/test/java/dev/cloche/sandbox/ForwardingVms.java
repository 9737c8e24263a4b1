package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.vm.OutputLog;
import dev.cloche.vm.PersistentDisks;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmCapabilities;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vm.testing.InMemoryProvider;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** VMs in memory, for what does something else at some of their steps. */
abstract class ForwardingVms implements VmProvider {
    final InMemoryProvider memory;

    ForwardingVms(InMemoryProvider memory) {
        this.memory = memory;
    }

    @Override
    public Optional<VmSpec> spec(VmId id) {
        return memory.spec(id);
    }

    @Override
    public void requireDiskRoom() {
        memory.requireDiskRoom();
    }

    @Override
    public void countStateDisk(Deadline deadline) {
        memory.countStateDisk(deadline);
    }

    @Override
    public Optional<String> memoryShortage() {
        return memory.memoryShortage();
    }

    @Override
    public boolean isOwned(VmId id) {
        return memory.isOwned(id);
    }

    @Override
    public String fingerprint(VmSpec spec) {
        return memory.fingerprint(spec);
    }

    @Override
    public boolean reclaim(VmId id, Deadline deadline) {
        return memory.reclaim(id, deadline);
    }

    @Override
    public boolean reclaimOrphan(VmId id, Deadline deadline) {
        return memory.reclaimOrphan(id, deadline);
    }

    @Override
    public List<PooledVm> pooled() {
        return memory.pooled();
    }

    @Override
    public void pause(VmId id, Deadline deadline) {
        memory.pause(id, deadline);
    }

    @Override
    public void resume(VmId id, Deadline deadline) {
        memory.resume(id, deadline);
    }

    @Override
    public void limit(VmId id, Duration longest) {
        memory.limit(id, longest);
    }

    @Override
    public void throttleDisk(VmId id, Supplier<WritableLayer.Throttle> throttle, Deadline deadline) {
        memory.throttleDisk(id, throttle, deadline);
    }

    @Override
    public void haltAtLimit(VmId id) {
        memory.haltAtLimit(id);
    }

    @Override
    public Optional<VmHindrance> hindrance(VmId id) {
        return memory.hindrance(id);
    }

    @Override
    public PersistentDisks disks() {
        return memory.disks();
    }

    @Override
    public OutputLog outputLog(VmId id) {
        return memory.outputLog(id);
    }

    @Override
    public VmCapabilities capabilities() {
        return memory.capabilities();
    }

    @Override
    public List<SnapshotRef> snapshots() {
        return memory.snapshots();
    }

    @Override
    public Optional<SnapshotRef> snapshot(SnapshotName name) {
        return memory.snapshot(name);
    }

    @Override
    public SnapshotRef copySnapshot(SnapshotName from, SnapshotName to) {
        return memory.copySnapshot(from, to);
    }

    @Override
    public void deleteSnapshot(SnapshotName name) {
        memory.deleteSnapshot(name);
    }

    @Override
    public boolean isSnapshotMapped(SnapshotName name) {
        return memory.isSnapshotMapped(name);
    }

    @Override
    public List<VmInfo> list() {
        return memory.list();
    }

    @Override
    public void close() {
        memory.close();
    }
}
