package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.util.Native;
import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.ExitStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The library as its users call it, in real VMs. */
class SandboxIT {
    @TempDir
    static Path home;

    static Cloche cloche;
    static Sandbox shared;

    @BeforeAll
    static void open() {
        Path share = InstalledShare.require();
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
        shared = cloche.sandbox("base").name("shared").memoryMib(256).start();
    }

    @AfterAll
    static void close() throws IOException {
        if (cloche == null) {
            return;
        }
        shared.close();
        assertThat(cloche.sandboxes().list()).extracting(SandboxInfo::status).containsExactly(SandboxStatus.STOPPED);
        cloche.sandboxes().remove("shared", false);
        assertThat(cloche.sandboxes().list()).isEmpty();
        cloche.close();
        try (Stream<Path> left = Files.list(home.resolve("state/vms"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void socketsAreBelowTheTemporaryDirectoryThatWasNamed() throws IOException {
        // Before it could be unpacked to a directory that is gone when the next class of tests needs it.
        Native.load();
        Path temporary = home.resolve("t");
        ClocheOptions options = ClocheOptions.ofEnvironment()
                .withHome(home.resolve("other"))
                .withShare(InstalledShare.require())
                .withTemplateMaking(new TemplateMaking.Never())
                .withTemporary(temporary);
        try (Cloche other = Cloche.open(options);
                Sandbox sandbox = other.sandbox("base").memoryMib(256).start()) {
            assertThat(sandbox.exec("true").exit().success()).isTrue();
            try (Stream<Path> files = Files.walk(temporary)) {
                assertThat(files.filter(file -> file.toString().endsWith(".qmp")))
                        .hasSize(1);
            }
        }
    }

    @Test
    void anImageWhoseFilesAreDamagedIsMadeAgainByTheStartThatFailsOverIt() throws IOException {
        Path cache = home.resolve("state/cache");
        Path fsmeta = only(cache.resolve("fsmeta"));
        Path layer = only(cache.resolve("layers"));
        List<byte[]> sound = List.of(Files.readAllBytes(fsmeta), Files.readAllBytes(layer));
        // As new files: the VM that the tests share has the old ones.
        for (Path file : List.of(fsmeta, layer)) {
            Path zeros = Files.write(home.resolve("zeros"), new byte[(int) Files.size(file)]);
            Files.move(zeros, file, StandardCopyOption.REPLACE_EXISTING);
        }

        try (Sandbox sandbox = cloche.sandbox("base").memoryMib(256).start()) {
            assertThat(sandbox.exec("true").exit().success()).isTrue();
        }

        assertThat(fsmeta).hasBinaryContent(sound.getFirst());
        assertThat(layer).hasBinaryContent(sound.getLast());
    }

    private static Path only(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.findFirst().orElseThrow();
        }
    }

    @Test
    void collectsBothOutputsAndTheExitCode() {
        ExecResult result = shared.exec("sh", "-c", "echo out; echo err >&2; exit 3");
        assertThat(result.stdoutText()).isEqualTo("out\n");
        assertThat(result.stderrText()).isEqualTo("err\n");
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.exit().success()).isFalse();
    }

    @Test
    void tellsASignalFromAnExitCode() {
        ExitStatus exit = shared.exec("sh", "-c", "kill -9 $$").exit();
        assertThat(exit).isEqualTo(new ExitStatus.Signalled(9));
        assertThat(exit.shellCode()).isEqualTo(137);
    }

    @Test
    void feedsAnInput() {
        ExecResult result = shared.command("tr", "a-z", "A-Z").run("shout".getBytes(StandardCharsets.UTF_8));
        assertThat(result.stdoutText()).isEqualTo("SHOUT");
    }

    @Test
    void streamsBothWays() throws IOException {
        try (Execution echo = shared.command("cat").stdin(true).start();
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(echo.stdout(), StandardCharsets.UTF_8))) {
            OutputStream stdin = echo.stdin();
            for (String word : new String[] {"one", "two"}) {
                stdin.write((word + "\n").getBytes(StandardCharsets.UTF_8));
                stdin.flush();
                assertThat(lines.readLine()).isEqualTo(word);
            }
            stdin.close();
            assertThat(lines.readLine()).isNull();
            assertThat(echo.await().success()).isTrue();
        }
    }

    @Test
    void aCommandThatTakesTooLongIsKilledAndKeepsWhatItWrote() {
        ExecResult late = shared.command("sh", "-c", "echo out; echo err >&2; sleep 600")
                .timeout(Duration.ofSeconds(10))
                .run();
        assertThat(late.timedOut()).isTrue();
        assertThat(late.truncated()).isFalse();
        assertThat(late.exit()).isEqualTo(new ExitStatus.Signalled(9));
        assertThat(late.stdoutText()).isEqualTo("out\n");
        assertThat(late.stderrText()).isEqualTo("err\n");
        assertThatThrownBy(late::orThrow)
                .isInstanceOfSatisfying(
                        CommandException.TimedOut.class,
                        thrown -> assertThat(thrown.result()).containsSame(late));
        assertThat(shared.exec("pidof", "sleep").exit().success()).isFalse();
    }

    @Test
    void aCommandThatWritesTooMuchIsKilledAndKeepsTheBeginningOfWhatItWrote() {
        ExecResult flood = shared.command("sh", "-c", "echo err >&2; yes")
                .outputLimit(1000)
                .run();
        assertThat(flood.truncated()).isTrue();
        assertThat(flood.timedOut()).isFalse();
        assertThat(flood.exit()).isEqualTo(new ExitStatus.Signalled(9));
        assertThat(flood.stdoutText()).isEqualTo("y\n".repeat(500));
        assertThat(flood.stderrText()).isEqualTo("err\n");
        assertThatThrownBy(flood::orThrow).isInstanceOf(CommandException.OutputTooLarge.class);

        ExecResult little = shared.command("sh", "-c", "printf 0123; sleep 600")
                .outputLimit(3)
                .run();
        assertThat(little.truncated()).isTrue();
        assertThat(little.stdoutText()).isEqualTo("012");

        ExecResult most = shared.command("printf", "0123456789").outputLimit(10).run();
        assertThat(most.truncated()).isFalse();
        assertThat(most.orThrow().stdoutText()).isEqualTo("0123456789");
    }

    @Test
    void bothOutputsAreReadHoweverMuchIsWritten() {
        String both = "head -c 300000 /dev/zero; head -c 65536 /dev/zero >&2; echo end; head -c 300000 /dev/zero >&2";
        ExecResult much = shared.exec("sh", "-c", both);
        assertThat(much.exit().success()).isTrue();
        assertThat(much.stdout()).hasSize(300_004).endsWith('e', 'n', 'd', '\n');
        assertThat(much.stderr()).hasSize(365_536);
    }

    @Test
    void withoutALimitOfItsOwnACommandMayWrite64MiB() {
        ExecResult flood = shared.exec("cat", "/dev/zero");
        assertThat(flood.truncated()).isTrue();
        assertThat(flood.stdout()).hasSize(64 << 20);
        assertThat(shared.exec("true").exit().success()).isTrue();
    }

    @Test
    void anOutputLimitOutOfRangeIsRefused() {
        assertThatThrownBy(() -> shared.command("true").outputLimit(0)).isInstanceOf(ClocheException.class);
        assertThatThrownBy(() -> shared.command("true").outputLimit((1 << 30) + 1))
                .isInstanceOf(ClocheException.class);
    }

    @Test
    void onlyACallerThatAsksForSuccessGetsAnException() {
        ExecResult three = shared.exec("sh", "-c", "echo why >&2; exit 3");
        assertThatThrownBy(three::orThrow).isInstanceOfSatisfying(CommandException.Failed.class, failed -> {
            assertThat(failed).hasMessageContaining("exit code 3").hasMessageNotContaining("why");
            assertThat(failed.result().orElseThrow().stderrText()).isEqualTo("why\n");
        });
        assertThat(shared.exec("true").orThrow().timedOut()).isFalse();
    }

    /** The guest of a paused sandbox neither kills the command nor tells of its end. */
    @Test
    void aCommandWhoseKillIsNotHeardIsAnError() {
        try (Sandbox sandbox = cloche.sandbox("base")
                .name("halts")
                .ephemeral(true)
                .memoryMib(256)
                .start()) {
            CommandBuilder sleep = sandbox.command("sh", "-c", "sleep 600").timeout(Duration.ofSeconds(5));
            Execution running = sleep.start();
            cloche.sandboxes().pause("halts");
            try {
                assertThatThrownBy(() -> new CollectingRun(running, 10).of(new byte[0]))
                        .isInstanceOf(CommandException.TimedOut.class);
            } finally {
                cloche.sandboxes().resume("halts");
            }
            assertThat(running.endAfterKill(new CommandException.TimedOut(null, null)))
                    .isEqualTo(new ExitStatus.Signalled(9));
        }
    }

    @Test
    void aCommandThatIsNotThereIsATypedError() {
        assertThatThrownBy(() -> shared.exec("no-such-command"))
                .isInstanceOfSatisfying(ClocheException.class, error -> {
                    assertThat(error.code()).isEqualTo("vm.spawn.command-not-found");
                    assertThat(error).hasMessageContaining("no-such-command");
                    assertThat(error.remedy()).isNotEmpty();
                });
    }

    @Test
    void anotherHandleConnectsToARunningSandbox() {
        try (Sandbox again = cloche.connect("shared")) {
            shared.exec("sh", "-c", "echo here > /tmp/mark");
            assertThat(again.exec("cat", "/tmp/mark").stdoutText()).isEqualTo("here\n");
        }
        assertThat(shared.exec("true").exit().success()).isTrue();
    }

    @Test
    void twoSandboxesDoNotSeeEachOther() {
        shared.exec("sh", "-c", "echo mine > /private");
        try (Sandbox other = cloche.sandbox("base").memoryMib(256).start()) {
            assertThat(other.exec("test", "-e", "/private").exitCode()).isEqualTo(1);
            assertThat(other.exec("cat", "/etc/machine-id").stdoutText())
                    .isNotEqualTo(shared.exec("cat", "/etc/machine-id").stdoutText());
        }
        assertThat(cloche.sandboxes().list()).extracting(SandboxInfo::name).containsExactly("shared");
    }

    @Test
    void theEndOfAVmIsNoticedAndRecorded() {
        Sandbox doomed = cloche.sandbox("base").name("doomed").memoryMib(256).start();
        try (Execution waiting = doomed.command("sleep", "600").start()) {
            // The guest's kernel resets the machine, without a word to its agent.
            doomed.command("reboot", "-f").start();
            assertThatThrownBy(waiting::await)
                    .isInstanceOfSatisfying(
                            ClocheException.class,
                            error -> assertThat(error.code()).isEqualTo("sandbox.ended.internal-error"));
        }
        doomed.close();
        assertThat(cloche.sandboxes().list())
                .filteredOn(sandbox -> sandbox.name().equals("doomed"))
                .extracting(SandboxInfo::status)
                .containsExactly(SandboxStatus.CRASHED);
        cloche.sandboxes().remove("doomed", false);
    }
}
