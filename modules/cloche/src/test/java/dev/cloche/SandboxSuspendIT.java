package dev.cloche;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.ChildJvm;
import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.GuestStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A sandbox is suspended, the process that did so is killed, and another one has it go on, a few times. */
@Timeout(1800)
class SandboxSuspendIT {
    private static final int ROUNDS = 3;

    @TempDir
    Path directory;

    @Test
    void theSameProcessesGoOnInAnotherProcessOfOurs() throws Exception {
        Path share = InstalledShare.require();
        Path home = directory.resolve("state");
        Process first = start(home, share);
        try {
            await().until(() -> !first.isAlive() || Files.exists(directory.resolve("done")));
            assertThat(first.isAlive())
                    .as(() -> "ended: " + directory.resolve("child.log"))
                    .isTrue();
        } finally {
            first.destroyForcibly().waitFor();
        }
        String pids = Files.readString(directory.resolve("pids"));
        long count = Long.parseLong(Files.readString(directory.resolve("count")).strip());
        ClocheOptions options = ClocheOptions.ofEnvironment().withHome(home).withShare(share);
        try (Cloche cloche = Cloche.open(options)) {
            assertThat(cloche.sandboxes().list())
                    .extracting(SandboxInfo::status)
                    .containsExactly(SandboxStatus.SUSPENDED);
            assertThatThrownBy(() -> cloche.connect(SuspendingProcess.SANDBOX))
                    .isInstanceOfSatisfying(
                            ClocheException.class, e -> assertThat(e.code()).isEqualTo("sandbox.suspended"));

            cloche.sandboxes().resume(SuspendingProcess.SANDBOX);
            goesOn(cloche);
            for (int round = 0; round < ROUNDS; round++) {
                count = counted(cloche, pids, count);
                cloche.sandboxes().suspend(SuspendingProcess.SANDBOX);
                cloche.sandboxes().resume(SuspendingProcess.SANDBOX);
            }
            long last = counted(cloche, pids, count);
            logHasAll(cloche, last);
            cloche.sandboxes().suspend(SuspendingProcess.SANDBOX);
            cloche.sandboxes().remove(SuspendingProcess.SANDBOX, false);
            assertThat(cloche.sandboxes().list()).isEmpty();
        }
        assertThat(home.resolve("snapshots")).isEmptyDirectory();
    }

    /** What the killed process had not read of a command is there, and nothing is missing in between. */
    private void goesOn(Cloche cloche) throws IOException {
        int id = Integer.parseInt(Files.readString(directory.resolve("id")));
        byte[] before = Files.readAllBytes(directory.resolve("output"));
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(before);
        try (Sandbox sandbox = cloche.connect(SuspendingProcess.SANDBOX);
                Execution rest = sandbox.attach(id, before.length, 0)) {
            byte[] chunk = new byte[8192];
            for (int n = rest.stdout().read(chunk); n >= 0; n = rest.stdout().read(chunk)) {
                all.write(chunk, 0, n);
                rest.acknowledge(rest.stdoutOffset(), 0);
            }
            assertThat(rest.await().success()).isTrue();
            sandbox.release(id);
        }
        assertThat(all.toString(US_ASCII))
                .isEqualTo(IntStream.rangeClosed(1, SuspendingProcess.LINES)
                        .mapToObj(line -> line + "\n")
                        .collect(Collectors.joining()));
    }

    private static long counted(Cloche cloche, String pids, long before) throws IOException {
        try (Sandbox sandbox = cloche.connect(SuspendingProcess.SANDBOX)) {
            assertThat(SuspendingProcess.pids(sandbox)).isEqualTo(pids);
            assertThat(sandbox.exec("hostname").stdoutText()).isEqualTo(SuspendingProcess.SANDBOX + "\n");
            await().until(() -> count(sandbox) > before);
            try (GuestStream web =
                    sandbox.dial(DialRequest.port(SuspendingProcess.PORT).withPatience(Duration.ofMinutes(1)))) {
                web.write(ByteBuffer.wrap("GET /health HTTP/1.0\r\n\r\n".getBytes(US_ASCII)));
                web.shutdownOutput();
                assertThat(new String(Channels.newInputStream(web).readAllBytes(), US_ASCII))
                        .endsWith("well\n");
            }
            return count(sandbox);
        }
    }

    private static long count(Sandbox sandbox) {
        return Long.parseLong(sandbox.files().readString("/tmp/count").strip());
    }

    /** It comes through the guard, which may be behind what the guest says. */
    private static void logHasAll(Cloche cloche, long last) {
        await().untilAsserted(() -> assertThatLogHasAll(cloche, last));
    }

    private static void assertThatLogHasAll(Cloche cloche, long last) throws IOException {
        try (SandboxLog log = cloche.sandboxes().log(SuspendingProcess.SANDBOX)) {
            StringBuilder text = new StringBuilder();
            for (var entry = log.next(); entry.isPresent(); entry = log.next()) {
                text.append(US_ASCII.decode(entry.get().bytes()));
            }
            List<String> lines = text.toString().lines().toList();
            assertThat(lines).hasSizeGreaterThanOrEqualTo((int) last - 1);
            assertThat(lines.subList(0, (int) last - 1))
                    .isEqualTo(IntStream.range(1, (int) last)
                            .mapToObj(String::valueOf)
                            .toList());
        }
    }

    private Process start(Path home, Path share) throws IOException {
        return new ProcessBuilder(ChildJvm.command(
                        SuspendingProcess.class, home.toString(), share.toString(), directory.toString()))
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("child.log").toFile())
                .start();
    }
}
