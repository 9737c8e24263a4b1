package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A state root on a file system without a free byte: what reads, ends or removes works, and what begins leaves nothing. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FullDiskIT {
    @RegisterExtension
    private static final SmallDisk DISK = new SmallDisk("200m", "runs", "writes");

    @BeforeAll
    static void begin() throws Exception {
        DISK.good("run", "-q", "-d", "--name", "runs", "base", "--", "sh", "-c", "echo said; exec sleep 1000");
        DISK.good(
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
        DISK.good("create", "--name", "never", "base", "--", "true");
        DISK.good("machine", "create", "box", "--image", "base");
        DISK.good("exec", "--detach", "runs", "--", "true");
        DISK.good("maintain");
        assertThat(DISK.home().resolve("reserve")).hasSize(16 << 20);
    }

    @BeforeEach
    void fill() throws IOException {
        DISK.fill(0);
    }

    /** Each time that the disk was filled, what had been freed of the reserve went, too. */
    private static void refillTheReserve() throws IOException {
        makeRoom();
        DISK.good("maintain");
        DISK.fill(0);
    }

    private static void makeRoom() throws IOException {
        try (Stream<Path> fillers = Files.list(DISK.home())) {
            for (Path filler : fillers.filter(
                            path -> path.getFileName().toString().startsWith("filler"))
                    .toList()) {
                Files.delete(filler);
            }
        }
    }

    @Test
    @Order(1)
    void whatIsThereIsShown() {
        assertThat(DISK.good("ps", "-a").stdout()).contains("runs", "never");
        assertThat(DISK.good("images").stdout()).contains("base");
        assertThat(DISK.good("logs", "runs").stdout()).isEqualTo("said\n");
        assertThat(DISK.good("inspect", "runs").stdout()).contains("running");
        livesOrIsHalted();
        assertThat(DISK.good("image", "inspect", "base").stdout()).contains("base");
        assertThat(DISK.good("snapshot", "ls").exitCode()).isZero();
        assertThat(DISK.cloche().run("doctor").stdout())
                .contains(" MiB are free", "MiB in reserve", "cloche image prune");
        assertThat(DISK.good("maintain").stdout()).contains("0 resisted");
    }

    @ParameterizedTest
    @Order(2)
    @ValueSource(longs = {0, 8 << 10, 64 << 10, 200 << 10})
    void aStartOrSnapshotWithoutRoomSaysSoInOneSentenceAndHarmsNobody(long left) throws IOException {
        makeRoom();
        DISK.fill(left);
        saysThatThereIsNoSpace(DISK.cloche().run("snapshot", "create", "runs", "taken"), 1);
        Result started = DISK.cloche().run("run", "-q", "--rm", "--disk", "64m", "base", "--", "true");
        if (started.exitCode() != 0) {
            saysThatThereIsNoSpace(started, 125);
        }
        assertThat(DISK.good("ps", "-a", "--format", "json").stdout())
                .containsOnlyOnce("\"runs\"")
                .contains("\"never\"");
        livesOrIsHalted();
    }

    /** Its file system writes now and then by itself, and then it is halted. */
    private static void livesOrIsHalted() {
        Result result = DISK.cloche().run("exec", "runs", "echo", "lives");
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
        await().until(() -> DISK.good("ps").stdout().contains("running (disk full)"));
        assertThat(DISK.good("inspect", "writes").stdout()).contains("running (disk full)", "Free 256 MiB");
        saysThatItIsHalted(DISK.cloche().run("exec", "writes", "echo", "lives"));
        makeRoom();
        await().until(() ->
                DISK.cloche().run("exec", "writes", "echo", "lives").stdout().equals("lives\n"));
        DISK.good("rm", "-f", "writes");
    }

    @Test
    @Order(4)
    void whatRunsIsStoppedAndItsEndIsRecorded() throws IOException {
        refillTheReserve();
        DISK.good("stop", "-t", "5", "runs");
        DISK.fill(0);
        assertThat(DISK.good("inspect", "runs").stdout()).contains("stopped", "shutdown-requested");
        try (Stream<Path> ends = Files.walk(DISK.home().resolve("vms"))) {
            assertThat(ends.filter(path -> path.endsWith("exit.json"))).hasSize(1);
        }
    }

    @Test
    @Order(6)
    void whatHasEndedIsRemovedWithItsImage() throws IOException {
        refillTheReserve();
        DISK.good("rm", "never");
        DISK.fill(0);
        DISK.good("rm", "runs");
        DISK.fill(0);
        DISK.good("image", "rm", "base");
        DISK.fill(0);
        DISK.good("image", "prune");
        assertThat(DISK.good("ps", "-a", "--format", "json").stdout()).isEqualTo("[ ]\n");
    }

    @Test
    @Order(5)
    void machinesAndProcessesAreShownAndRemoved() throws IOException {
        refillTheReserve();
        assertThat(DISK.good("process", "ls", "-a").stdout()).contains("sandbox_exec");
        DISK.fill(0);
        DISK.good("process", "prune");
        DISK.fill(0);
        assertThat(DISK.good("machine", "ls").stdout()).contains("box");
        assertThat(DISK.good("machine", "inspect", "box").stdout()).contains("box");
        DISK.fill(0);
        DISK.good("machine", "rm", "box");
        assertThat(DISK.good("machine", "ls").stdout()).doesNotContain("box");
    }

    @Test
    @Order(7)
    void withRoomEverythingWorksAgainAndTheReserveIsWhole() throws IOException {
        Path reserve = DISK.home().resolve("reserve");
        try (RandomAccessFile shortened = new RandomAccessFile(reserve.toFile(), "rw")) {
            shortened.setLength(12 << 20);
        }
        makeRoom();
        assertThat(DISK.good("run", "-q", "--rm", "base", "--", "echo", "recovered")
                        .stdout())
                .isEqualTo("recovered\n");
        DISK.good("maintain");
        assertThat(reserve).hasSize(16 << 20);
    }

    @Test
    @Order(8)
    void aReadOnlyStateRootCanBeRead() throws Exception {
        makeRoom();
        DISK.good("run", "-q", "-d", "--name", "ended", "base", "--", "echo", "said");
        DISK.good("wait", "ended");
        DISK.remount("ro");
        try {
            assertThat(DISK.good("ps", "-a").stdout()).contains("ended");
            assertThat(DISK.good("images").stdout()).contains("base");
            assertThat(DISK.good("inspect", "ended").stdout()).contains("stopped");
            assertThat(DISK.good("logs", "ended").stdout()).isEqualTo("said\n");
            assertThat(DISK.cloche().run("doctor").stdout()).contains("read-only file system");
            Result refused = DISK.cloche().run("rm", "ended");
            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.stderr()).contains("read-only");
            assertThat(DISK.cloche().run("run", "base", "--", "true").exitCode())
                    .isEqualTo(125);
        } finally {
            DISK.remount("rw");
        }
    }
}
