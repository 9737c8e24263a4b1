package dev.cloche.qemu;

import dev.cloche.vm.testing.VmLifecycleContract;

/** Holds real VMs to the contract of lives and ends of VMs. */
class QemuLifecycleContractIT extends QemuTest implements VmLifecycleContract {}
