package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmState;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What lives must not keep a sweep from what is stale, however much of it there is. */
class StarvationTest {
    private static final int LIVE = 10_000;

    @Test
    void tenThousandThatLiveDoNotHideTheOneBehindThem(@TempDir Path root) {
        try (TestHost host = new TestHost(root)) {
            host.here.catalog().write(transaction -> {
                for (int i = 1; i <= LIVE + 1; i++) {
                    String name = (i <= LIVE ? "live-" : "stale-") + i;
                    transaction.update("""
                            INSERT INTO sandbox (id, name, directory, image, command, status, ephemeral, memory_mib, cpus,
                                   start_timeout, restart, restarts, kept_runs, created_at, updated_at)
                            VALUES (?, ?, ?, 'bare', '', 'RUNNING', 0, 256, 1, 1800000, 'NO', 0, 5, 1, 1)
                            """, i, name, name);
                    transaction.update("""
                            INSERT INTO run (sandbox_id, vm_id, detached, owner_pid, owner_start_time, owner_boot_id, status,
                                   started_at)
                            VALUES (?, ?, 1, 1, 1, 'an earlier boot', 'RUNNING', 1)
                            """, i, name);
                }
                return LIVE;
            });
            SandboxManager sandboxes = new SandboxManager(
                    root.resolve("state"),
                    host.here.catalog(),
                    host.here.images(),
                    pretending(host.vms),
                    Clock.systemUTC());
            MaintenanceLimits once = MaintenanceLimits.defaults()
                    .withLease(Duration.ofMinutes(2))
                    .withBudget(Duration.ofMinutes(1));
            long before = host.here.catalog().statements();
            MaintenanceReport report = sandboxes.maintenance(once).sweepIfDue();
            assertThat(report.examined()).isEqualTo(LIVE + 1);
            assertThat(report.reconciled()).isEqualTo(1);
            assertThat(report.timedOut()).isFalse();
            assertThat(host.row("stale-" + (LIVE + 1)).orElseThrow().status()).isEqualTo(SandboxStatus.CRASHED);
            assertThat(host.row("live-1").orElseThrow().status()).isEqualTo(SandboxStatus.RUNNING);
            // Pages of a thousand, and not a statement for each row.
            assertThat(host.here.catalog().statements() - before).isLessThan(40);
        }
    }

    /** Pretends that VMs of this name live, as far as any caller can see. */
    private static VmProvider pretending(VmProvider real) {
        return (VmProvider) Proxy.newProxyInstance(
                VmProvider.class.getClassLoader(), new Class<?>[] {VmProvider.class}, (_, method, arguments) -> {
                    if (method.getName().equals("get")
                            && arguments[0] instanceof VmId id
                            && id.value().startsWith("live-")) {
                        return Optional.of(new VmInfo(id, VmState.RUNNING, Optional.empty(), Optional.empty()));
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
