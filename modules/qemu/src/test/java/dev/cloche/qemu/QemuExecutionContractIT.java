package dev.cloche.qemu;

import dev.cloche.vm.testing.VmAttachContract;
import dev.cloche.vm.testing.VmExecutionContract;

/** Holds real VMs to the contract of commands in guests. */
class QemuExecutionContractIT extends QemuTest implements VmExecutionContract, VmAttachContract {}
