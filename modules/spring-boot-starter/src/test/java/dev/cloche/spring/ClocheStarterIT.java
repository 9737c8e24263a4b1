package dev.cloche.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.Sandbox;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.TemplateMaking;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A context of Spring Boot 3.5 with a pool and sandboxes on real VMs. */
class ClocheStarterIT {
    @TempDir
    Path home;

    @Test
    void aPoolFillsASandboxRunsAndNothingIsLeft() throws Exception {
        Path share = InstalledShare.require();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new ApplicationContextRunner()
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
                .withConfiguration(AutoConfigurations.of(
                        Boot3HealthAutoConfiguration.class,
                        ClocheAutoConfiguration.class,
                        ClocheMetersAutoConfiguration.class))
                .withBean(MeterRegistry.class, () -> registry)
                .withPropertyValues(
                        "cloche.home=" + home,
                        "cloche.share=" + share.toAbsolutePath(),
                        "cloche.templates=background",
                        "cloche.pools[0].image=base",
                        "cloche.pools[0].memory=256MB")
                .run(context -> {
                    Cloche cloche = context.getBean(Cloche.class);
                    await().atMost(Duration.ofMinutes(5))
                            .until(() -> cloche.pools().list().getFirst().ready() == 1);
                    assertThat(context.getBean(HealthIndicator.class)
                                    .getHealth(true)
                                    .getStatus())
                            .isEqualTo(Status.UP);
                    // Is left open, as by a request that an application has forgotten.
                    Sandbox open = cloche.sandbox("base").memoryMib(256).start();
                    assertThat(open.exec("echo", "hello").stdoutText()).isEqualTo("hello\n");
                    cloche.pools().pool("base").memoryMib(256).remove();
                });
        assertThat(registry.get("cloche.start").timer().count()).isEqualTo(1);
        try (Cloche after = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home)
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()))) {
            after.maintain();
            assertThat(after.sandboxes().list()).isEmpty();
            assertThat(after.unrecordedVms()).isEmpty();
        }
        // A directory loses its name before its files, and may be about to.
        await().atMost(Duration.ofMinutes(2)).untilAsserted(() -> {
            try (Stream<Path> left = Files.list(home.resolve("vms"))) {
                assertThat(left).isEmpty();
            }
        });
    }
}
