package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.ChildJvm;
import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.ProcessView;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.OutputLogEntry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that outlive who started them and who drives them, in real VMs. */
class DurableCommandIT {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofMinutes(2);

    @TempDir
    static Path directory;

    static Path share;
    static Cloche cloche;

    @BeforeAll
    static void start() {
        share = InstalledShare.require();
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(directory.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
        start("box");
    }

    @AfterAll
    static void end() {
        if (cloche != null) {
            cloche.sandboxes().remove("box", true);
            cloche.close();
        }
    }

    @Test
    void aScriptCountsExactlyAlthoughItsDriverIsKilledFiveTimes() throws Exception {
        // It goes on for as long as drivers are killed, however long that takes.
        ProcessView process = cloche.processes()
                .command(
                        "box",
                        "sh",
                        "-c",
                        "echo begun >> /tmp/runs; i=0; while ! [ -e /tmp/enough ]; do echo line $i; i=$((i+1));"
                                + " [ $((i % 100)) -gt 0 ] || sleep 0.2; done; echo $i; exit 7")
                .start();
        assertThat(process.status()).isEqualTo(ProcessStatus.RUNNING);
        for (int kill = 0; kill < 5; kill++) {
            long before = written(process.id());
            Process driver = driver();
            try {
                await().pollInterval(Duration.ofMillis(20))
                        .until(() -> !driver.isAlive() || written(process.id()) > before);
                assertThat(driver.isAlive()).isTrue();
            } finally {
                driver.destroyForcibly().waitFor();
            }
        }
        try (Sandbox box = cloche.connect("box")) {
            assertThat(box.exec("touch", "/tmp/enough").exitCode()).isZero();
            assertThat(box.exec("cat", "/tmp/runs").stdoutText()).isEqualTo("begun\n");
        }
        Process driver = driver();
        try {
            ProcessView ended = cloche.processes().await(process.id(), LONG).orElseThrow();
            assertThat(ended.status()).isEqualTo(ProcessStatus.COMPLETED);
            assertThat(ended.output().orElseThrow().json().text()).contains("\"exitCode\":7");
        } finally {
            driver.destroyForcibly().waitFor();
        }
        String output = output(process.id());
        String last = output.strip().substring(output.strip().lastIndexOf('\n') + 1);
        assertThat(output).isEqualTo(lines(Integer.parseInt(last)) + last + "\n");
    }

    @Test
    void bothOutputsAreKeptAndACommandThatCannotStartHasFailed() throws Exception {
        ProcessView process = cloche.processes()
                .command("box", "sh", "-c", "echo out; echo err >&2; echo $WHO")
                .environment("WHO", "me")
                .start();
        ProcessView missing =
                cloche.processes().command("box", "no-such-program").start();
        assertThat(missing.status()).isEqualTo(ProcessStatus.FAILED);
        assertThat(missing.output().orElseThrow().json().text()).contains("invalid_request");
        Process driver = driver();
        try {
            assertThat(cloche.processes()
                            .await(process.id(), LONG)
                            .orElseThrow()
                            .status())
                    .isEqualTo(ProcessStatus.COMPLETED);
        } finally {
            driver.destroyForcibly().waitFor();
        }
        assertThat(output(process.id())).isEqualTo("out\nme\n");
        assertThat(cloche.processes().prune(Duration.ZERO, false)).contains(process.id(), missing.id());
        assertThatThrownBy(() -> cloche.processes().log(process.id())).isInstanceOf(ClocheException.class);
        assertThat(directory.resolve("state/executions").resolve(process.id())).doesNotExist();
    }

    @Test
    void aCancelledCommandIsEnded() throws Exception {
        ProcessView process = cloche.processes().command("box", "sleep", "600").start();
        Process driver = driver();
        try {
            cloche.processes().cancel(process.id(), "no longer wanted");
            ProcessView ended = cloche.processes().await(process.id(), LONG).orElseThrow();
            assertThat(ended.status()).isEqualTo(ProcessStatus.CANCELLED);
            assertThat(ended.output().orElseThrow().json().text()).contains("no longer wanted", "\"signal\":15");
        } finally {
            driver.destroyForcibly().waitFor();
        }
    }

    @Test
    void aWaitEndsWhenTheLastDriverDies() throws Exception {
        ProcessView process = cloche.processes().command("box", "sleep", "600").start();
        Process driver = driver();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            await().atMost(Duration.ofMinutes(1))
                    .until(() ->
                            Files.exists(directory.resolve("state/executions").resolve(process.id())));
            Future<?> wait = threads.submit(() -> cloche.processes().await(process.id(), LONG));
            driver.destroyForcibly().waitFor();
            // Its lease is not over yet, and says nothing of that.
            assertThatThrownBy(wait::get).hasCauseInstanceOf(ProcessException.Undriven.class);
        } finally {
            driver.destroyForcibly().waitFor();
        }
        cloche.processes().cancel(process.id(), "the end of the test");
    }

    @Test
    void aCommandWhoseSandboxGoesHasFailed() throws Exception {
        start("short");
        ProcessView process =
                cloche.processes().command("short", "sleep", "600").start();
        Process driver = driver();
        try {
            cloche.sandboxes().remove("short", true);
            ProcessView ended = cloche.processes().await(process.id(), LONG).orElseThrow();
            assertThat(ended.status()).isEqualTo(ProcessStatus.FAILED);
            assertThat(ended.output().orElseThrow().json().text()).contains("unavailable");
        } finally {
            driver.destroyForcibly().waitFor();
        }
    }

    @Test
    void aDrainWaitsForACommandWhoseDriverIsKilledAndLosesNothingOfIt() throws Exception {
        start("drained");
        ProcessView process = cloche.processes()
                .command(
                        "drained",
                        "sh",
                        "-c",
                        "i=0; while [ $i -lt 40 ]; do echo line $i; i=$((i+1)); sleep 0.2; done; exit 5")
                .start();
        Process driver = driver();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            await().until(() -> !driver.isAlive() || written(process.id()) > 0);
            assertThat(driver.isAlive()).isTrue();
            Future<?> drain = threads.submit(() -> cloche.sandboxes().drain("drained", LONG, Duration.ofSeconds(1)));
            await().until(() -> status("drained") == SandboxStatus.DRAINING);
            driver.destroyForcibly().waitFor();
            drain.get();
        } finally {
            driver.destroyForcibly().waitFor();
        }
        assertThat(status("drained")).isEqualTo(SandboxStatus.STOPPED);
        // Recorded before its sandbox was stopped: no program drives it any more.
        ProcessView ended = cloche.processes().find(process.id()).orElseThrow();
        assertThat(ended.status()).isEqualTo(ProcessStatus.COMPLETED);
        assertThat(ended.output().orElseThrow().json().text()).contains("\"exitCode\":5");
        assertThat(output(process.id())).isEqualTo(lines(40));
        cloche.sandboxes().remove("drained", true);
    }

    @Test
    void aCommandOfAPausedSandboxIsDrivenOnWhenThatIsResumed() throws Exception {
        start("pausing");
        ProcessView process = cloche.processes()
                .command("pausing", "sh", "-c", "while ! [ -e /tmp/go ]; do sleep 0.1; done; echo gone on")
                .start();
        cloche.sandboxes().pause("pausing");
        Process driver = driver();
        try {
            await().until(() -> !driver.isAlive()
                    || cloche.processes()
                                    .find(process.id())
                                    .orElseThrow()
                                    .process()
                                    .attempts()
                            > 0);
            assertThat(driver.isAlive()).isTrue();
            cloche.sandboxes().resume("pausing");
            try (Sandbox box = cloche.connect("pausing")) {
                assertThat(box.exec("touch", "/tmp/go").exitCode()).isZero();
            }
            assertThat(cloche.processes()
                            .await(process.id(), LONG)
                            .orElseThrow()
                            .status())
                    .isEqualTo(ProcessStatus.COMPLETED);
        } finally {
            driver.destroyForcibly().waitFor();
        }
        assertThat(output(process.id())).isEqualTo("gone on\n");
        cloche.sandboxes().remove("pausing", true);
    }

    private static void start(String name) {
        cloche.sandbox("base")
                .name(name)
                .memoryMib(256)
                .command("sleep", "600")
                .detached()
                .start();
    }

    private static SandboxStatus status(String name) {
        return cloche.sandboxes().list().stream()
                .filter(info -> info.name().equals(name))
                .findFirst()
                .orElseThrow()
                .status();
    }

    private static String lines(int count) {
        return IntStream.range(0, count).mapToObj(i -> "line " + i + "\n").collect(Collectors.joining());
    }

    private static long written(String id) throws IOException {
        Path file = directory.resolve("state/executions").resolve(id).resolve("output");
        return Files.exists(file) ? Files.size(file) : 0;
    }

    private static String output(String id) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ProcessLog log = cloche.processes().log(id)) {
            for (Optional<OutputLogEntry> piece = log.next(); piece.isPresent(); piece = log.next()) {
                assertThat(piece.get().missing()).isZero();
                if (!piece.get().error()) {
                    Channels.newChannel(bytes).write(piece.get().bytes().duplicate());
                }
            }
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** A program that drives commands by now. */
    private static Process driver() throws IOException {
        Process driver = new ProcessBuilder(ChildJvm.command(
                        DrivingProcess.class,
                        directory.resolve("state").toString(),
                        share.toString(),
                        String.valueOf(LEASE.toMillis())))
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectError(directory.resolve("driver.log").toFile())
                .start();
        assertThat(driver.inputReader().readLine()).isEqualTo(DrivingProcess.DRIVING);
        return driver;
    }
}
