package dev.cloche.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.HostException;
import dev.cloche.Ready;
import dev.cloche.base.ClocheException;
import dev.cloche.image.RegistryLogin;
import dev.cloche.micrometer.ClocheMeters;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.Network;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.unit.DataSize;

/** The contexts of Spring Boot 3.5, without VMs: {@code integration/run} has 4 too. */
class ClocheAutoConfigurationTest {
    @TempDir
    Path directory;

    /** Has files of the names that opening looks for; no VM is made with them. */
    private Path share;

    @BeforeEach
    void install() throws IOException {
        share = directory.resolve("share");
        Files.createDirectories(share.resolve("kernel"));
        for (String name : List.of("cloche-guard", "cloche-tsc", "kernel/vmlinux", "initramfs")) {
            Files.createFile(share.resolve(name));
        }
    }

    /** Without what Spring Boot 4 has in packages of its own. */
    private ApplicationContextRunner contexts() {
        return new ApplicationContextRunner()
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.health"))
                .withConfiguration(AutoConfigurations.of(
                        Boot3HealthAutoConfiguration.class,
                        Boot4HealthAutoConfiguration.class,
                        ClocheAutoConfiguration.class,
                        ClocheInfoAutoConfiguration.class,
                        ClocheMetersAutoConfiguration.class))
                .withPropertyValues(
                        "cloche.home=" + directory.resolve("state"), "cloche.share=" + share, "cloche.templates=never");
    }

    @Test
    void propertiesAreThoseOfTheOptionsAndOfThePools() {
        contexts()
                .withPropertyValues(
                        "cloche.share=/a,/b",
                        "cloche.temporary=/t",
                        "cloche.templates=never",
                        "cloche.logins[ghcr.io].user=me",
                        "cloche.logins[ghcr.io].password=hunter2")
                .run(context -> {
                    ClocheOptions options = context.getBean(ClocheOptions.class);
                    assertThat(options.home()).isEqualTo(directory.resolve("state"));
                    assertThat(options.share()).startsWith(Path.of("/a"), Path.of("/b"));
                    assertThat(options.temporary()).contains(Path.of("/t"));
                    assertThat(options.templateMaking()).isInstanceOf(TemplateMaking.Never.class);
                    assertThat(options.logins()).isEqualTo(Map.of("ghcr.io", new RegistryLogin("me", "hunter2")));
                    assertThat(context.getBean(ClocheProperties.class).toString())
                            .doesNotContain("hunter2");
                    // Nothing has asked for it.
                    assertThat(directory.resolve("state")).doesNotExist();
                    assertThat(health(context.getBean(HealthIndicator.class)).getStatus())
                            .isEqualTo(Status.UNKNOWN);
                });
    }

    @Test
    void aPoolIsSetAtTheStartAndShowsInHealthAndInfo() {
        contexts()
                .withPropertyValues(
                        "cloche.pools[0].image=python:3.13",
                        "cloche.pools[0].memory=1GB",
                        "cloche.pools[0].cpus=2",
                        "cloche.pools[0].network=user",
                        "cloche.pools[0].depth=8",
                        "cloche.pools[0].min-depth=2",
                        "cloche.pools[0].cold-after=1h",
                        "cloche.pools[0].max-age=5m",
                        "cloche.pools[0].health-check=python3,-V",
                        "cloche.pools[0].health-port=5432,6379",
                        "cloche.pools[0].health-http=8000/health?deep=1,80/",
                        "cloche.pools[1].image=debian")
                .run(context -> {
                    assertThat(context.getBean(ClocheProperties.class).pools().getLast())
                            .isEqualTo(new ClocheProperties.Pool(
                                    "debian",
                                    DataSize.ofMegabytes(512),
                                    1,
                                    Network.NONE,
                                    1,
                                    null,
                                    null,
                                    null,
                                    List.of(),
                                    List.of(),
                                    List.of()));
                    Cloche cloche = context.getBean(Cloche.class);
                    assertThat(cloche.pools().list()).hasSize(2).first().satisfies(pool -> {
                        assertThat(pool.image()).isEqualTo("docker.io/library/python:3.13");
                        assertThat(pool.memoryMib()).isEqualTo(1024);
                        assertThat(pool.cpus()).isEqualTo(2);
                        assertThat(pool.network()).isEqualTo(Network.USER);
                        assertThat(pool.depth()).isEqualTo(8);
                        assertThat(pool.minDepth()).isEqualTo(2);
                        assertThat(pool.coldAfter()).contains(Duration.ofHours(1));
                        assertThat(pool.maxAge()).isEqualTo(Duration.ofMinutes(5));
                        assertThat(pool.check()).containsExactly("python3", "-V");
                        assertThat(pool.probes())
                                .containsExactlyInAnyOrder(
                                        Ready.port(5432),
                                        Ready.port(6379),
                                        Ready.http(8000, "/health?deep=1"),
                                        Ready.http(80, "/"));
                    });
                    Health health = health(context.getBean(HealthIndicator.class));
                    assertThat(health.getStatus()).isEqualTo(Status.UP);
                    assertThat(health.getDetails())
                            .extractingByKey("pools")
                            .asInstanceOf(InstanceOfAssertFactories.LIST)
                            .hasSize(2);
                    Info.Builder info = new Info.Builder();
                    context.getBean(InfoContributor.class).contribute(info);
                    assertThat(info.build().getDetails())
                            .isEqualTo(Map.of(
                                    "cloche",
                                    Map.of(
                                            "supported",
                                            true,
                                            "home",
                                            directory.resolve("state").toString(),
                                            "pools",
                                            List.of("python:3.13", "debian"))));
                    assertThat(directory.resolve("state")).exists();
                });
    }

    @Test
    void propertiesAreBoundForTheFirstThatAsksAndNotAtTheStart() {
        contexts().withPropertyValues("cloche.templates=no such word").run(context -> {
            assertThat(context).hasNotFailed();
            assertThatThrownBy(() -> context.getBean(Cloche.class))
                    .hasStackTraceContaining("cloche.templates")
                    .hasStackTraceContaining("no such word");
        });
    }

    @Test
    void aPoolOfTheEnvironmentIsSetToo() {
        contexts()
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                Map.of("CLOCHE_POOLS_0_IMAGE", "debian"))))
                .run(context -> assertThat(context.getBean(Cloche.class).pools().list())
                        .singleElement()
                        .satisfies(pool -> assertThat(pool.image()).isEqualTo("docker.io/library/debian:latest")));
    }

    @Test
    void aPoolWhosePropertiesAreWrongEndsTheStart() {
        contexts()
                .withPropertyValues("cloche.pools[0].image=debian", "cloche.pools[0].memory=much")
                .run(context ->
                        assertThat(context.getStartupFailure()).hasStackTraceContaining("cloche.pools[0].memory"));
        for (String page : List.of("8000", "/health", "web/health")) {
            contexts()
                    .withPropertyValues("cloche.pools[0].image=debian", "cloche.pools[0].health-http=" + page)
                    .run(context -> assertThat(context.getStartupFailure())
                            .hasStackTraceContaining("cloche.pools[0]")
                            .hasStackTraceContaining("8000/health"));
        }
    }

    @Test
    void aStateRootThatCannotBeOpenedEndsTheStartOfAnApplicationThatNeedsIt() {
        contexts()
                .withPropertyValues("cloche.home=/proc/none")
                .withBean("user", User.class, User::new, definition -> definition.setDependsOn("cloche"))
                .run(context -> {
                    FailureAnalysis analysis = new ClocheFailureAnalyzer().analyze(context.getStartupFailure());
                    assertThat(analysis.getDescription()).contains("/proc/none");
                    assertThat(analysis.getAction()).isNotEmpty();
                });
    }

    @Test
    void oneThatABeanNeedsIsOpenOnceTheApplicationHasStarted() {
        User user = new User();
        contexts()
                .withBean("user", User.class, () -> user, definition -> definition.setDependsOn("cloche"))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(directory.resolve("state/catalog.db")).exists();
                });
    }

    @Test
    void anUnsupportedSystemEndsTheStartOfAnApplicationThatNeedsIt() {
        contexts()
                .withSystemProperties("os.name=Plan 9")
                .withPropertyValues("cloche.pools[0].image=debian")
                .run(context -> {
                    Throwable failure = context.getStartupFailure();
                    assertThat(failure).hasRootCauseInstanceOf(HostException.Unsupported.class);
                    FailureAnalysis analysis = new ClocheFailureAnalyzer().analyze(failure);
                    assertThat(analysis.getDescription()).contains("Plan 9");
                    assertThat(analysis.getAction()).isNotEmpty();
                    ClocheException cause = (ClocheException) analysis.getCause();
                    assertThat(cause.getMessage()).isEqualTo(analysis.getDescription() + " " + analysis.getAction());
                });
    }

    @Test
    void anUnsupportedSystemLeavesAnApplicationThatDoesNotNeedItAlone() {
        contexts().withSystemProperties("os.name=Plan 9").run(context -> {
            assertThat(context).hasNotFailed();
            Health health = health(context.getBean(HealthIndicator.class));
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.getDetails()).isEqualTo(Map.of("supported", false));
        });
    }

    @Test
    void recordsThatCannotBeReadAreAtFault() {
        contexts().run(context -> {
            Cloche cloche = context.getBean(Cloche.class);
            assertThat(health(context.getBean(HealthIndicator.class)).getStatus())
                    .isEqualTo(Status.UP);
            cloche.close();
            assertThat(health(context.getBean(HealthIndicator.class)).getStatus())
                    .isEqualTo(Status.DOWN);
        });
    }

    @Test
    void itIsClosedAfterTheBeansThatUseItAndBeforeItsMeters() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        User user = new User();
        contexts()
                .withBean(MeterRegistry.class, () -> registry)
                .withBean("user", User.class, () -> user, definition -> definition.setDependsOn("cloche"))
                .run(context -> {
                    assertThat(context).hasSingleBean(ClocheMeters.class);
                    user.cloche = context.getBean(Cloche.class);
                    assertThat(registry.get("cloche.images").gauge().value()).isZero();
                });
        assertThat(user.images).isZero();
        assertThat(registry.find("cloche.images").gauge()).isNull();
    }

    /** Needs it until it is destroyed itself. */
    private static final class User implements AutoCloseable {
        private @Nullable Cloche cloche;
        private int images = -1;

        @Override
        public void close() {
            if (cloche != null) {
                images = cloche.images().list().size();
            }
        }
    }

    @Test
    void nothingOfItIsThereWithoutActuatorAndMicrometer() {
        contexts()
                .withClassLoader(new FilteredClassLoader(
                        "org.springframework.boot.health", "org.springframework.boot.actuate", "io.micrometer"))
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(ClocheOptions.class);
                    assertThat(context.getBeanNamesForType(Object.class))
                            .noneMatch(name -> name.contains("Indicator")
                                    || name.contains("Contributor")
                                    || name.contains("clocheMeters"));
                });
    }

    @Test
    void whatTheApplicationHasOfItsOwnTakesTheirPlace() {
        ClocheOptions own = ClocheOptions.ofEnvironment().withHome(directory.resolve("own"));
        contexts()
                .withBean(ClocheOptions.class, () -> own)
                .withPropertyValues("management.health.cloche.enabled=false", "management.info.cloche.enabled=false")
                .run(context -> {
                    assertThat(context.getBean(ClocheOptions.class)).isSameAs(own);
                    assertThat(context).doesNotHaveBean(HealthIndicator.class).doesNotHaveBean(InfoContributor.class);
                });
    }

    @Test
    void aCustomizerChangesTheOptionsAndHearsOfTheOpening() {
        Path other = directory.resolve("other");
        contexts()
                .withBean(ClocheCustomizer.class, () -> options -> options.withHome(other))
                .run(context -> {
                    assertThat(context.getBean(ClocheOptions.class).home()).isEqualTo(other);
                    assertThat(Files.exists(other)).isFalse();
                    assertThat(context.getBean(Cloche.class)).isNotNull();
                    assertThat(Files.exists(other)).isTrue();
                });
    }

    private static Health health(HealthIndicator indicator) {
        return indicator.getHealth(true);
    }
}
