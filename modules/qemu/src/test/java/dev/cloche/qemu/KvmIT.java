package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What guests see of KVM. */
@Tag("kvm")
class KvmIT extends QemuTest {
    @Test
    void aGuestsClockIsTheHostsAndItsCounterIsNotMeasured() throws Exception {
        try (Vm vm = running()) {
            assertThat(shell(vm, "cat /sys/devices/system/clocksource/clocksource0/current_clocksource"))
                    .isEqualTo("kvm-clock\n");
            assertThat(shell(vm, "cat /proc/cmdline")).doesNotContain("tsc").doesNotContain("noreplace-smp");
            assertThat(shell(vm, "cat /proc/cpuinfo")).doesNotContainPattern("\\b(vmx|svm|arch_perfmon)\\b");
        }
    }

    @Test
    void aClonesClockGoesOn() throws Exception {
        SnapshotRef taken;
        long began;
        double before;
        try (Vm vm = running()) {
            began = System.nanoTime();
            before = uptime(vm);
            taken = snapshot(vm, "kept");
        }
        try (Vm clone = clone(taken)) {
            assertThat(shell(clone, "cat /sys/devices/system/clocksource/clocksource0/current_clocksource"))
                    .isEqualTo("kvm-clock\n");
            long now = Long.parseLong(shell(clone, "busybox date +%s").strip());
            assertThat(Instant.ofEpochSecond(now))
                    .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
            assertThat(uptime(clone))
                    .as("it goes neither back nor ahead")
                    .isBetween(
                            before,
                            before + Duration.ofNanos(System.nanoTime() - began).toSeconds() + 1);
        }
    }

    /** Seconds of the guest's clock that never goes back. */
    private double uptime(Vm vm) throws IOException {
        return Double.parseDouble(
                shell(vm, "busybox cut -d ' ' -f 1 /proc/uptime").strip());
    }
}
