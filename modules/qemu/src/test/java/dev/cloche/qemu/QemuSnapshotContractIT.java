package dev.cloche.qemu;

import dev.cloche.vm.testing.VmPoolContract;

/** Holds real VMs to the contract of snapshots, and of the VMs that pools keep of them. */
class QemuSnapshotContractIT extends QemuTest implements VmPoolContract {}
