package dev.cloche.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.Cloche;
import dev.cloche.Ready;
import dev.cloche.Sandbox;
import dev.cloche.SandboxInfo;
import dev.cloche.sandbox.StartKind;
import dev.cloche.sandbox.StartTimings;
import dev.cloche.vm.Network;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer.MethodName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests as users write them, for {@link SandboxedIT} to run; they fail where they are meant to. */
final class Samples {
    private Samples() {}

    private static List<String> names(Cloche cloche) {
        return cloche.sandboxes().list().stream().map(SandboxInfo::name).toList();
    }

    @EnabledIfCloche
    @TestMethodOrder(MethodName.class)
    static class AllPlaces {
        @Sandboxed(image = "base", memoryMib = 192, environment = "WORD=shared")
        private static @Nullable Sandbox shared;

        private static long first;

        @Sandboxed(image = "base", memoryMib = 256)
        private @Nullable Sandbox own;

        private final Sandbox constructed;

        AllPlaces(@Sandboxed(image = "base", memoryMib = 192) Sandbox constructed) {
            this.constructed = constructed;
        }

        @Test
        void aEachPlaceHasASandboxOfItsOwn(@Sandboxed(image = "base", memoryMib = 192) Sandbox given, Cloche cloche) {
            assertThat(names(cloche))
                    .containsExactlyInAnyOrder(sharedOne().name(), ownOne().name(), constructed.name(), given.name());
            assertThat(given.exec("echo", "42").stdoutText()).isEqualTo("42\n");
            assertThat(ownOne().info().memoryMib()).isEqualTo(256);
            assertThat(sharedOne().exec("sh", "-c", "echo $WORD").stdoutText()).isEqualTo("shared\n");
            first = ownOne().id();
        }

        @Test
        void bTheSharedOneIsTheSameAndTheOthersAreNew(Cloche cloche) {
            assertThat(names(cloche))
                    .containsExactlyInAnyOrder(sharedOne().name(), ownOne().name(), constructed.name());
            assertThat(sharedOne().id()).isLessThan(first);
            assertThat(ownOne().id()).isGreaterThan(first);
        }

        @Nested
        class Inner {
            @Test
            void hasTheSharedOne() {
                assertThat(sharedOne().exec("true").exit().success()).isTrue();
            }
        }

        private static Sandbox sharedOne() {
            return Optional.ofNullable(shared).orElseThrow();
        }

        private Sandbox ownOne() {
            return Optional.ofNullable(own).orElseThrow();
        }
    }

    /** Runs after {@link AllPlaces}, with the same records. */
    static class NothingIsLeft {
        @BeforeEach
        void noSandboxIsThere(Cloche cloche) {
            assertThat(names(cloche)).isEmpty();
        }

        @Test
        @EnabledIfCloche
        void ofAnotherClass() {}
    }

    static class Failing {
        @Sandboxed(
                image = "base",
                memoryMib = 192,
                command = {"sh", "-c", "echo first; echo second >&2; touch /tmp/written; exec sleep 10000"})
        static @Nullable Sandbox service;

        @Test
        void fails() {
            Optional.ofNullable(service)
                    .orElseThrow()
                    .await(Ready.command("test", "-e", "/tmp/written"), Duration.ofMinutes(1));
            throw new IllegalStateException("as it should");
        }

        @Test
        void succeeds() {}
    }

    static class CommandThatEnds {
        @Test
        void isNotReached(
                @Sandboxed(
                                image = "base",
                                memoryMib = 192,
                                command = {"sh", "-c", "echo no configuration >&2; exit 7"},
                                publish = 80)
                        Sandbox service) {
            throw new AssertionError(service.name());
        }
    }

    static class Published {
        @Test
        void isReachedAtOnce(
                @Sandboxed(
                                image = "base",
                                memoryMib = 192,
                                command = {"sh", "-c", "sleep 1; exec nc -ll -p 8080 -e echo hello"},
                                publish = 8080)
                        Sandbox service)
                throws Exception {
            try (Socket socket = new Socket()) {
                socket.connect(service.ports().of(8080).address());
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo("hello\n");
            }
            assertThat(service.ports().list()).hasSize(1);
            assertThat(service.exec("ls", "/sys/class/net").stdoutText())
                    .contains("lo")
                    .doesNotContain("eth");
        }
    }

    /** A service of the class, and one of each test. */
    @EnabledIfCloche
    @TestMethodOrder(MethodName.class)
    static class Services {
        @RegisterExtension
        static final SandboxedService GREETS = new SandboxedService("base")
                .withMemoryMib(192)
                .withCommand("sh", "-c", "sleep 1; echo $WORD is; echo ready; exec nc -ll -p 8080 -e echo $WORD")
                .withEnv("WORD", "hello")
                .withExposedPorts(8080)
                .waitingFor(Ready.log("hello is\nready"))
                .withStartupTimeout(Duration.ofMinutes(10));

        private static long first;

        @RegisterExtension
        final SandboxedService own = new SandboxedService("base")
                .withMemoryMib(192)
                .withCommand("sleep", "10000")
                .waitingFor(Ready.command("true"))
                .withStartupTimeout(Duration.ofMinutes(10));

        @Test
        void aIsReached() throws IOException {
            assertThat(greeting()).isEqualTo("hello\n");
            first = own.sandbox().id();
        }

        @Test
        void bTheOneOfTheClassIsTheSame() throws IOException {
            assertThat(greeting()).isEqualTo("hello\n");
            assertThat(GREETS.sandbox().id()).isLessThan(first);
            assertThat(own.sandbox().id()).isGreaterThan(first);
        }

        @Nested
        class Inner {
            @Test
            void hasThatOfTheClass() throws IOException {
                assertThat(greeting()).isEqualTo("hello\n");
            }
        }

        private static String greeting() throws IOException {
            try (Socket socket = new Socket(GREETS.getHost(), GREETS.getMappedPort(8080))) {
                return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            }
        }
    }

    static class SilentService {
        @RegisterExtension
        static final SandboxedService SILENT = new SandboxedService("base")
                .withMemoryMib(192)
                .withCommand("sh", "-c", "echo almost rea; exec sleep 10000")
                .waitingFor(Ready.log("ready"))
                .withStartupTimeout(Duration.ofMillis(500));

        @Test
        void isNotReached() {
            throw new AssertionError(SILENT.sandbox().name());
        }
    }

    /** The pool is set for the first test, and full before the second one. */
    @EnabledIfCloche
    @TestMethodOrder(MethodName.class)
    static class Pooled {
        @BeforeEach
        void isFull(Cloche cloche) {
            await().atMost(Duration.ofMinutes(5))
                    .until(() -> cloche.pools().list().stream().allMatch(pool -> pool.ready() == pool.depth()));
        }

        @Test
        void aSetsIt(@Sandboxed(image = "base", memoryMib = 192, pool = 1) Sandbox sandbox, Cloche cloche) {
            assertThat(cloche.pools().list()).singleElement().satisfies(pool -> {
                assertThat(pool.memoryMib()).isEqualTo(192);
                assertThat(pool.depth()).isEqualTo(1);
                assertThat(pool.coldAfter()).contains(Duration.ofMinutes(5));
            });
            assertThat(sandbox.exec("true").exit().success()).isTrue();
        }

        @Test
        void bStartsWarm(@Sandboxed(image = "base", memoryMib = 192, pool = 1) Sandbox sandbox) {
            StartTimings timings = sandbox.startTimings().orElseThrow();
            // A VM lies on its shelf a moment before the pool of this process hears of it, and is waited for until
            // then.
            assertThat(timings.kind() == StartKind.WARM
                            || timings.notWarm().orElse("").endsWith("it waited for the next"))
                    .as("%s", timings)
                    .isTrue();
        }
    }

    static class Leaking {
        @Test
        void detaches(@Sandboxed(image = "base", memoryMib = 192) Sandbox sandbox) {
            sandbox.detach();
        }
    }

    @EnabledIfCloche
    static class Skipped {
        @Sandboxed(image = "base")
        static @Nullable Sandbox sandbox;

        @Test
        void isNotReached() {
            throw new AssertionError(sandbox);
        }
    }

    /** Does what its JVM's standard input says, with a sandbox of a pool and one that publishes a port. */
    @EnabledIfCloche
    static class Fork {
        static final int MEMORY_MIB = 192;

        @Sandboxed(image = "base", memoryMib = MEMORY_MIB)
        private static @Nullable Sandbox pooled;

        @Test
        void isLed(
                @Sandboxed(
                                image = "base",
                                memoryMib = MEMORY_MIB,
                                network = Network.USER,
                                publish = 8080,
                                command = {"httpd", "-f", "-p", "8080"})
                        Sandbox web)
                throws IOException {
            Sandbox shared = Optional.ofNullable(pooled).orElseThrow();
            int port = web.ports().of(8080).address().getPort();
            System.out.println("ready " + shared.startTimings().orElseThrow().kind() + " " + port);
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = input.readLine(); line != null && !line.equals("end"); line = input.readLine()) {
                ProcessHandle other = ProcessHandle.of(Long.parseLong(line.substring("kill ".length())))
                        .orElseThrow();
                assertThat(other.destroyForcibly()).isTrue();
                other.onExit().join();
                assertThat(shared.exec("echo", "here").stdoutText()).isEqualTo("here\n");
                new Socket(InetAddress.getLoopbackAddress(), port).close();
                System.out.println("go on");
            }
        }
    }
}
