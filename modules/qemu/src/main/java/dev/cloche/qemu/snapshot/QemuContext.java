package dev.cloche.qemu.snapshot;

import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.VmResources;
import dev.cloche.qemu.disk.DiskChain;
import dev.cloche.qemu.disk.DiskTools;
import dev.cloche.qemu.host.FileDigests;
import dev.cloche.qemu.host.HostCapabilities;
import dev.cloche.qemu.host.IsolationChoice;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmLimits;
import java.util.function.Supplier;

/**
 * Holds what all VMs of a provider share.
 *
 * @param isolation which walls a VM gets at least
 * @param group where the control group of a VM is made, asked at each start
 * @param host what the probe found; the first answer may take a while
 */
public record QemuContext(
        VmLayout layout,
        VmResources resources,
        IsolationChoice isolation,
        Supplier<VmLimits.Group> group,
        Supplier<HostCapabilities> host,
        QemuSnapshotStore snapshots,
        FileDigests digests,
        DiskTools disks) {
    /** Returns the writable disk of a VM. */
    public DiskChain disk(VmId id) {
        return new DiskChain(layout.directory(id), disks);
    }

    public static QemuContext of(
            VmLayout layout,
            VmResources resources,
            IsolationChoice isolation,
            Supplier<VmLimits.Group> group,
            Supplier<HostCapabilities> host) {
        return new QemuContext(
                layout,
                resources,
                isolation,
                group,
                host,
                new QemuSnapshotStore(layout.snapshots()),
                new FileDigests(layout.stateRoot().resolve("digests.json")),
                new DiskTools(resources.qemu(), resources.formatter()));
    }
}
