package dev.cloche.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.Sandbox;
import dev.cloche.base.ClocheException;
import dev.cloche.base.EnumNames;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.StartTimings;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.ChannelTraffic;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.MeterNotFoundException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Meters of what happens on real VMs. */
class ClocheMetersIT {
    @TempDir
    Path home;

    private static void aMebibyteIsCountedEachWay(MeterRegistry registry, Sandbox sandbox) {
        double sent = registry.get("cloche.channel.sent").functionCounter().count();
        double received =
                registry.get("cloche.channel.received").functionCounter().count();
        sandbox.files().writeString("/tmp/many", "x".repeat(1 << 20));
        assertThat(sandbox.exec("cat", "/tmp/many").stdout()).hasSize(1 << 20);
        assertThat(registry.get("cloche.channel.sent").functionCounter().count() - sent)
                .isBetween(1.0 * (1 << 20), 1.5 * (1 << 20));
        assertThat(registry.get("cloche.channel.received").functionCounter().count() - received)
                .isBetween(1.0 * (1 << 20), 1.5 * (1 << 20));
        assertThat(registry.get("cloche.channel.open").gauge().value()).isPositive();
    }

    @Test
    void startsCommandsPullsAndPoolsAreMeasured() {
        Path share = InstalledShare.require();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        ClocheMeters meters = new ClocheMeters(registry);
        ClocheOptions options = meters.listening(ClocheOptions.ofEnvironment()
                .withHome(home.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.InBackground()));
        try (meters;
                Cloche cloche = Cloche.open(options)) {
            meters.bindTo(cloche);
            try (Sandbox sandbox = cloche.sandbox("base").memoryMib(256).start()) {
                assertThat(sandbox.exec("sh", "-c", "exit 3").exitCode()).isEqualTo(3);
                aMebibyteIsCountedEachWay(registry, sandbox);
            }
            assertThatThrownBy(() -> cloche.sandbox("localhost:1/nothing").start())
                    .isInstanceOf(ClocheException.class);
            cloche.pools().pool("base").memoryMib(256).depth(1).set();
            await().atMost(Duration.ofMinutes(5))
                    .until(() -> cloche.pools().list().getFirst().ready() == 1);
            // The VM is on its shelf a moment before the pool's listener hears of it.
            await().atMost(Duration.ofMinutes(5))
                    .ignoreException(MeterNotFoundException.class)
                    .untilAsserted(() -> {
                        assertThat(registry.get("cloche.pool.depth").gauge().value())
                                .isEqualTo(1);
                        assertThat(registry.get("cloche.pool.restore").timer().count())
                                .isPositive();
                    });
            StartTimings second;
            try (Sandbox pooled = cloche.sandbox("base").memoryMib(256).start()) {
                assertThat(pooled.exec("true").exit().success()).isTrue();
                second = pooled.startTimings().orElseThrow();
            }

            assertThat(registry.get("cloche.start").tag("kind", "cold").timer().count())
                    .isEqualTo(1);
            assertThat(registry.get("cloche.start")
                            .tag("kind", EnumNames.of(second.kind()))
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("cloche.start").tag("kind", "none").timer().count())
                    .isEqualTo(1);
            assertThat(registry.get("cloche.pull").tag("code", "none").timer().count())
                    .isGreaterThanOrEqualTo(1);
            assertThat(registry.get("cloche.command")
                            .tag("exit", "failure")
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("cloche.images").gauge().value()).isEqualTo(1);
            assertThat(registry.get("cloche.images.size").gauge().value()).isPositive();
        }
        await().atMost(Duration.ofMinutes(5))
                .untilAsserted(
                        () -> assertThat(ChannelTraffic.ofThisProcess().open()).isZero());
        assertThat(registry.getMeters()).noneMatch(meter -> meter.getId().getType() == Meter.Type.GAUGE);
    }
}
