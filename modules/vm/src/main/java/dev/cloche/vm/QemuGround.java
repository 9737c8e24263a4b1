package dev.cloche.vm;

import java.util.function.Supplier;

/**
 * What all VMs of a provider share.
 *
 * @param host what the probe found; the first answer may take a while
 */
record QemuGround(
        VmLayout layout,
        VmResources resources,
        Supplier<HostFacts> host,
        SnapshotStore snapshots,
        FileDigests digests,
        DiskTools disks) {
    /** The writable disk of a VM. */
    DiskChain disk(VmId id) {
        return new DiskChain(layout.directory(id), disks);
    }

    static QemuGround of(VmLayout layout, VmResources resources, Supplier<HostFacts> host) {
        return new QemuGround(
                layout,
                resources,
                host,
                new SnapshotStore(layout.snapshots()),
                new FileDigests(layout.stateRoot().resolve("digests.json")),
                new DiskTools(resources.qemu()));
    }
}
