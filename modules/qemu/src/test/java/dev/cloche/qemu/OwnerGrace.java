package dev.cloche.qemu;

import dev.cloche.vm.VmSpec;
import java.time.Duration;

/** Makes specifications whose VMs wait shorter than usual for another owner. */
final class OwnerGrace {
    private OwnerGrace() {}

    static VmSpec of(Duration grace, VmSpec spec) {
        return new VmSpec(
                spec.id(),
                spec.memoryMiB(),
                spec.cpus(),
                spec.rootDisk(),
                spec.writable(),
                spec.attached(),
                spec.maxDuration(),
                grace,
                spec.outputLogBytes(),
                spec.snapshot(),
                spec.templateMaker(),
                spec.network(),
                spec.isolation(),
                spec.throttle(),
                spec.admission());
    }
}
