package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A state root on a file system without a free byte: what reads, ends or removes works, and what begins leaves nothing. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FullDiskIT {
    private static Path home = Path.of("");
    private static Program cloche = Program.in(home);
    private static boolean mounted;

    @BeforeAll
    static void begin() throws Exception {
        Assumptions.assumeTrue(Program.isRoot(), "only root can mount a small file system");
        home = Files.createTempDirectory("cloche-full");
        Program.run(List.of("mount", "-t", "tmpfs", "-o", "mode=700,size=200m", "none", home.toString()));
        mounted = true;
        cloche = Program.in(home);
        good("run", "-q", "-d", "--name", "runs", "base", "--", "sh", "-c", "echo said; exec sleep 1000");
        good(
                "run",
                "-q",
                "-d",
                "--name",
                "writes",
                "base",
                "--",
                "sh",
                "-c",
                "while sleep 1; do date >>/log; sync; done");
        good("create", "--name", "never", "base", "--", "true");
        good("machine", "create", "box", "--image", "base");
        good("exec", "--detach", "runs", "--", "true");
        good("maintain");
        assertThat(home.resolve("reserve")).hasSize(16 << 20);
    }

    @AfterAll
    static void unmount() throws Exception {
        if (mounted) {
            cloche.run("rm", "-f", "runs", "writes");
            Program.run(List.of("umount", home.toString()));
            Files.delete(home);
        }
    }

    @BeforeEach
    void fill() throws IOException {
        fill(0);
    }

    /** @param left how many bytes stay free */
    private static void fill(long left) throws IOException {
        Path filler = home.resolve("filler-" + System.nanoTime());
        try (OutputStream out = Files.newOutputStream(filler)) {
            byte[] page = new byte[4096];
            while (home.toFile().getUsableSpace() > left) {
                out.write(page);
            }
        }
    }

    /** Each time that the disk was filled, what had been freed of the reserve went, too. */
    private static void refillTheReserve() throws IOException {
        makeRoom();
        good("maintain");
        fill(0);
    }

    private static void makeRoom() throws IOException {
        try (Stream<Path> fillers = Files.list(home)) {
            for (Path filler : fillers.filter(
                            path -> path.getFileName().toString().startsWith("filler"))
                    .toList()) {
                Files.delete(filler);
            }
        }
    }

    private static Result good(String... arguments) {
        Result result = cloche.run(arguments);
        assertThat(result.exitCode())
                .as("%s: %s", String.join(" ", arguments), result)
                .isZero();
        return result;
    }

    @Test
    @Order(1)
    void whatIsThereIsShown() {
        assertThat(good("ps", "-a").stdout()).contains("runs", "never");
        assertThat(good("images").stdout()).contains("base");
        assertThat(good("logs", "runs").stdout()).isEqualTo("said\n");
        assertThat(good("inspect", "runs").stdout()).contains("running");
        livesOrIsHalted();
        assertThat(good("image", "inspect", "base").stdout()).contains("base");
        assertThat(good("snapshot", "ls").exitCode()).isZero();
        assertThat(cloche.run("doctor").stdout()).contains(" MiB are free", "MiB in reserve", "cloche image prune");
        assertThat(good("maintain").stdout()).contains("0 resisted");
    }

    @ParameterizedTest
    @Order(2)
    @ValueSource(longs = {0, 8 << 10, 64 << 10, 200 << 10})
    void aStartOrSnapshotWithoutRoomSaysSoInOneSentenceAndHarmsNobody(long left) throws IOException {
        makeRoom();
        fill(left);
        saysThatThereIsNoSpace(cloche.run("snapshot", "create", "runs", "taken"), 1);
        Result started = cloche.run("run", "-q", "--rm", "--disk", "64m", "base", "--", "true");
        if (started.exitCode() != 0) {
            saysThatThereIsNoSpace(started, 125);
        }
        assertThat(good("ps", "-a", "--format", "json").stdout())
                .containsOnlyOnce("\"runs\"")
                .contains("\"never\"");
        livesOrIsHalted();
    }

    /** Its file system writes now and then by itself, and then it is halted. */
    private static void livesOrIsHalted() {
        Result result = cloche.run("exec", "runs", "echo", "lives");
        if (result.exitCode() == 0) {
            assertThat(result.stdout()).isEqualTo("lives\n");
        } else {
            saysThatItIsHalted(result);
        }
    }

    private static void saysThatItIsHalted(Result result) {
        assertThat(result.exitCode()).as("%s", result).isEqualTo(125);
        assertThat(result.stderr()).contains("disk is full", "is halted until there is space", "Free 256 MiB");
    }

    private static void saysThatThereIsNoSpace(Result result, int exitCode) {
        assertThat(result.exitCode()).as("%s", result).isEqualTo(exitCode);
        assertThat(result.stderr()).startsWith("cloche: ").containsIgnoringCase("space");
        assertThat(result.stderr().lines()).as("%s", result).hasSize(2);
    }

    @Test
    @Order(3)
    void aGuestThatWritesIsHaltedAndGoesOnWhenThereIsRoom() throws IOException {
        await().until(() -> good("ps").stdout().contains("running (disk full)"));
        assertThat(good("inspect", "writes").stdout()).contains("running (disk full)", "Free 256 MiB");
        saysThatItIsHalted(cloche.run("exec", "writes", "echo", "lives"));
        makeRoom();
        await().until(() ->
                cloche.run("exec", "writes", "echo", "lives").stdout().equals("lives\n"));
        good("rm", "-f", "writes");
    }

    @Test
    @Order(4)
    void whatRunsIsStoppedAndItsEndIsRecorded() throws IOException {
        refillTheReserve();
        good("stop", "-t", "5", "runs");
        fill(0);
        assertThat(good("inspect", "runs").stdout()).contains("stopped", "shutdown-requested");
        try (Stream<Path> ends = Files.walk(home.resolve("vms"))) {
            assertThat(ends.filter(path -> path.endsWith("exit.json"))).hasSize(1);
        }
    }

    @Test
    @Order(6)
    void whatHasEndedIsRemovedWithItsImage() throws IOException {
        refillTheReserve();
        good("rm", "never");
        fill(0);
        good("rm", "runs");
        fill(0);
        good("image", "rm", "base");
        fill(0);
        good("image", "prune");
        assertThat(good("ps", "-a", "--format", "json").stdout()).isEqualTo("[ ]\n");
    }

    @Test
    @Order(5)
    void machinesAndProcessesAreShownAndRemoved() throws IOException {
        refillTheReserve();
        assertThat(good("process", "ls", "-a").stdout()).contains("sandbox_exec");
        fill(0);
        good("process", "prune");
        fill(0);
        assertThat(good("machine", "ls").stdout()).contains("box");
        assertThat(good("machine", "inspect", "box").stdout()).contains("box");
        fill(0);
        good("machine", "rm", "box");
        assertThat(good("machine", "ls").stdout()).doesNotContain("box");
    }

    @Test
    @Order(7)
    void withRoomEverythingWorksAgainAndTheReserveIsWhole() throws IOException {
        assertThat(Files.size(home.resolve("reserve"))).isLessThan(16 << 20);
        makeRoom();
        assertThat(good("run", "-q", "--rm", "base", "--", "echo", "recovered").stdout())
                .isEqualTo("recovered\n");
        good("maintain");
        assertThat(home.resolve("reserve")).hasSize(16 << 20);
    }

    @Test
    @Order(8)
    void aReadOnlyStateRootCanBeRead() throws Exception {
        makeRoom();
        good("run", "-q", "-d", "--name", "ended", "base", "--", "echo", "said");
        good("wait", "ended");
        Program.run(List.of("mount", "-o", "remount,ro", home.toString()));
        try {
            assertThat(good("ps", "-a").stdout()).contains("ended");
            assertThat(good("images").stdout()).contains("base");
            assertThat(good("inspect", "ended").stdout()).contains("stopped");
            assertThat(good("logs", "ended").stdout()).isEqualTo("said\n");
            assertThat(cloche.run("doctor").stdout()).contains("read-only file system");
            Result refused = cloche.run("rm", "ended");
            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.stderr()).contains("read-only");
            assertThat(cloche.run("run", "base", "--", "true").exitCode()).isEqualTo(125);
        } finally {
            Program.run(List.of("mount", "-o", "remount,rw", home.toString()));
        }
    }
}
