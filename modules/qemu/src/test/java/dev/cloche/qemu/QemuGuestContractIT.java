package dev.cloche.qemu;

import dev.cloche.vm.testing.VmDiskContract;
import dev.cloche.vm.testing.VmFilesContract;
import dev.cloche.vm.testing.VmGuestContract;

/** Holds real VMs to the contract of guests, their files and their disks. */
class QemuGuestContractIT extends QemuTest implements VmDiskContract, VmFilesContract, VmGuestContract {}
