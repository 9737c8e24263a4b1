package dev.cloche.pool;

import dev.cloche.base.Deadline;
import dev.cloche.vm.BootPolicy;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.testing.InMemoryFaults;
import dev.cloche.vm.testing.InMemoryProvider;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** A host in memory, with a way to make snapshots on it. */
public final class Host implements AutoCloseable {
    static final int CPUS = 1;
    static final int MEMORY = 256;
    public static final HandOff HANDOFF = () -> GuestIdentity.fresh("anybody", Clock.systemUTC());

    public final InMemoryFaults faults = new InMemoryFaults();
    public final InMemoryProvider provider = new InMemoryProvider(faults, new BootPolicy(1, Duration.ofMinutes(1)));

    public static StackKey key(String name) {
        return new StackKey(name, "1", CPUS, MEMORY);
    }

    public static Deadline soon() {
        return Deadline.after(Duration.ofMinutes(5));
    }

    public SnapshotRef snapshot(String name) {
        return snapshot(name, VmSpec.of(VmId.random(), RootDisk.raw(Path.of("/disk"))));
    }

    /** Whose clones can log. */
    SnapshotRef loggingSnapshot(String name) {
        return snapshot(
                name, VmSpec.of(VmId.random(), RootDisk.raw(Path.of("/disk"))).withOutputLogBytes(1 << 20));
    }

    private SnapshotRef snapshot(String name, VmSpec plain) {
        VmSpec spec = plain.asTemplateMaker();
        try (Vm maker = provider.create(spec)) {
            maker.start(soon());
            SnapshotRef taken = maker.snapshot(new SnapshotName(name), soon());
            maker.destroy();
            return taken;
        }
    }

    /** Returns what the VMs on shelves were restored from. */
    Map<VmId, SnapshotRef> sources() {
        Map<VmId, SnapshotRef> sources = new HashMap<>();
        provider.pooled().forEach(vm -> vm.snapshot().ifPresent(source -> sources.put(vm.id(), source)));
        return sources;
    }

    int vms() {
        return provider.list().size();
    }

    @Override
    public void close() {
        provider.close();
    }
}
