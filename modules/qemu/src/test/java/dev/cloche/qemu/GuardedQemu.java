package dev.cloche.qemu;

import dev.cloche.vm.VmId;

/** Finds the QEMU of a VM, beside what else its guard has started. */
final class GuardedQemu {
    private GuardedQemu() {}

    static ProcessHandle of(QemuProvider provider, VmId vm) {
        long guard = provider.get(vm).orElseThrow().guard().orElseThrow().pid();
        return ProcessHandle.of(guard)
                .orElseThrow()
                .children()
                .filter(child -> child.info().command().orElse("").contains("qemu"))
                .findFirst()
                .orElseThrow();
    }
}
