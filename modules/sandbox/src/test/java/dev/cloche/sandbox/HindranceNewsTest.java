package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.vm.VmHindrance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Guards know what hinders VMs, and sweeps tell it. */
class HindranceNewsTest extends OnTestHost {
    private static final MaintenanceLimits CALM = MaintenanceLimits.defaults()
            .withLease(Duration.ofMinutes(2))
            .withBudget(Duration.ofMinutes(1))
            .withWindow(Duration.ZERO);

    private void sweep(Optional<VmHindrance> why) {
        host.vms.hindrance(why);
        assertThat(sandboxes.maintenance(CALM).sweep().errors()).isZero();
    }

    @Test
    void whatHindersASandboxIsToldOnceAndAgainWhenItIsOver() {
        try (RunningSandbox _ = host.start(TestHost.named("web"))) {
            long before = host.here.store().eventsFrom(Optional.empty());
            sweep(Optional.of(VmHindrance.DISK_FULL));
            sweep(Optional.of(VmHindrance.DISK_FULL));
            sweep(Optional.of(VmHindrance.SILENT));
            sweep(Optional.empty());
            sweep(Optional.empty());
            List<String> told = new ArrayList<>();
            for (SandboxEvent event : host.here.store().eventsAfter(before)) {
                assertThat(event.kind()).isEqualTo(SandboxEvent.Kind.RUNNING);
                assertThat(event.name()).isEqualTo("web");
                told.add(event.detail());
            }
            assertThat(told)
                    .containsExactly(
                            "(disk full) " + VmHindrance.DISK_FULL.remedy(),
                            "(silent) " + VmHindrance.SILENT.remedy(),
                            "");
            SandboxRecord record = sandboxes.get("web");
            assertThat(record.status()).isEqualTo(SandboxStatus.RUNNING);
            host.vms.hindrance(Optional.of(VmHindrance.DISK_ERROR));
            assertThat(sandboxes.hindrance(record)).contains(VmHindrance.DISK_ERROR);
        }
    }

    @Test
    void callsThatAVmsProgramWasRefusedAreToldOnce() {
        try (RunningSandbox _ = host.start(TestHost.named("web"))) {
            long before = host.here.store().eventsFrom(Optional.empty());
            sweep(Optional.empty());
            host.vms.alarm();
            sweep(Optional.empty());
            sweep(Optional.empty());
            assertThat(host.here.store().eventsAfter(before))
                    .singleElement()
                    .satisfies(event -> assertThat(event.detail()).startsWith("(isolation alarm) "));
        }
    }
}
