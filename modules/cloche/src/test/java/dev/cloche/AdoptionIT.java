package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.ChildJvm;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.StatusReached;
import dev.cloche.sandbox.Termination;
import dev.cloche.sandbox.TerminationReason;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A detached sandbox whose owner is killed goes on, and the next process takes it over with all that is in it. */
class AdoptionIT {
    @TempDir
    Path directory;

    @Test
    void noByteIsLostAndThePoliciesHold() throws Exception {
        Path share = InstalledShare.require();
        Path home = directory.resolve("state");
        Path id = directory.resolve("id");
        Path output = directory.resolve("output");
        Process first = start(home, share, id, output);
        try {
            await().pollInterval(Duration.ofMillis(5))
                    .until(() -> !first.isAlive() || (Files.exists(output) && Files.size(output) > 20_000));
            assertThat(first.isAlive())
                    .as(() -> text(directory.resolve("child.log")))
                    .isTrue();
        } finally {
            first.destroyForcibly().waitFor();
        }
        ClocheOptions options = ClocheOptions.ofEnvironment().withHome(home).withShare(share);
        try (Cloche cloche = Cloche.open(options)) {
            try {
                assertThat(cloche.sandboxes()
                                .inspect(StartingProcess.SANDBOX)
                                .info()
                                .status())
                        .isEqualTo(SandboxStatus.RUNNING);
                cloche.adopt();
                await().until(() -> owner(cloche) == ProcessHandle.current().pid());
                goOn(cloche, Integer.parseInt(Files.readString(id)), output);
                StatusReached end = cloche.sandboxes()
                        .await(
                                StartingProcess.SANDBOX,
                                Set.of(SandboxStatus.STOPPED, SandboxStatus.CRASHED),
                                Duration.ofMinutes(1))
                        .orElseThrow();
                assertThat(end.termination()).map(Termination::reason).contains(TerminationReason.IDLE_TIMEOUT);
            } finally {
                cloche.sandboxes().remove(StartingProcess.SANDBOX, true);
            }
            assertThat(cloche.sandboxes().list()).isEmpty();
        }
    }

    private static void goOn(Cloche cloche, int id, Path output) throws Exception {
        byte[] before = Files.readAllBytes(output);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(before);
        try (Sandbox sandbox = cloche.connect(StartingProcess.SANDBOX);
                Execution rest = sandbox.attach(id, before.length, 0)) {
            byte[] chunk = new byte[8192];
            for (int n = rest.stdout().read(chunk); n >= 0; n = rest.stdout().read(chunk)) {
                all.write(chunk, 0, n);
                rest.acknowledge(rest.stdoutOffset(), 0);
            }
            assertThat(rest.await().success()).isTrue();
            sandbox.release(id);
        }
        assertThat(all.toString(StandardCharsets.UTF_8))
                .isEqualTo(IntStream.rangeClosed(1, StartingProcess.LINES)
                        .mapToObj(line -> line + "\n")
                        .collect(Collectors.joining()));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long owner(Cloche cloche) {
        return cloche.sandboxes()
                .inspect(StartingProcess.SANDBOX)
                .runs()
                .getFirst()
                .ownerPid();
    }

    private Process start(Path home, Path share, Path id, Path output) throws Exception {
        return new ProcessBuilder(ChildJvm.command(
                        StartingProcess.class, home.toString(), share.toString(), id.toString(), output.toString()))
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("child.log").toFile())
                .start();
    }
}
