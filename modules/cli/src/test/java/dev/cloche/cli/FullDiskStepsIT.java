package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Starts, snapshots and stops on a disk that is full after so many bytes, from none to as many as are enough: starts and snapshots
 * that find no room say so in one sentence, and leave no file, socket, process or record; stops take the reserve. Pulls and loads
 * are tested where images are.
 */
@Tag("slow")
class FullDiskStepsIT {
    private static final long KIB = 1 << 10;

    @RegisterExtension
    private static final SmallDisk DISK = new SmallDisk("400m", "runs", "made");

    private static Path sockets = Path.of("");

    @BeforeAll
    static void begin() throws Exception {
        DISK.good("run", "-q", "-d", "-m", "128m", "--disk", "0", "--name", "runs", "base", "--", "sleep", "100000");
        DISK.good("create", "-m", "128m", "--disk", "64m", "--name", "made", "base", "--", "sleep", "100000");
        DISK.good("run", "-q", "--rm", "-m", "128m", "base", "--", "true");
        // What is made once and stays, as an empty file system of this size.
        DISK.good("start", "made");
        DISK.good("kill", "made");
        DISK.good("snapshot", "create", "runs", "taken");
        DISK.good("snapshot", "rm", "taken");
        DISK.good("maintain");
        sockets = socketsOf(DISK.home());
    }

    private static Path socketsOf(Path stateRoot) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/tmp/cloche-" + Files.getAttribute(stateRoot, "unix:uid")))) {
            for (Path of : all.filter(path -> path.toString().endsWith(".of")).toList()) {
                if (Files.readString(of).strip().equals(stateRoot.toRealPath().toString())) {
                    return Path.of(of.toString().replaceFirst("\\.of$", ""));
                }
            }
        }
        throw new IOException("no directory of sockets for " + stateRoot);
    }

    @Test
    void aStartWithoutRoomLeavesNothing() throws IOException {
        // Opening the records takes 256 KiB of the reserve, so without one there may be less.
        stepByStep(LongStream.of(0, 40, 52, 64, 80, 112, 160, 1024), false, 125, start());
        stepByStep(LongStream.of(0, 300, 2048), true, 125, start());
    }

    @Test
    void aStartOfOneThatHasADiskLeavesNothing() throws IOException {
        stepByStep(LongStream.of(0, 48, 80), false, 1, "start", "made");
    }

    @Test
    void aSnapshotWithoutRoomLeavesNothingAndItsSandboxGoesOn() throws IOException {
        stepByStep(LongStream.of(0, 300, 2 << 10, 20 << 10), true, 1, snapshot());
        assertThat(DISK.good("exec", "runs", "echo", "lives").stdout()).isEqualTo("lives\n");
        DISK.good("snapshot", "create", "runs", "taken");
        DISK.good("snapshot", "rm", "taken");
    }

    @Test
    void atEveryPageAStartLeavesNothing() throws IOException {
        stepByStep(LongStream.iterate(0, kib -> kib <= 400, kib -> kib + 4), false, 125, start());
    }

    @Test
    void atEveryMebibyteASnapshotLeavesNothing() throws IOException {
        stepByStep(LongStream.iterate(0, kib -> kib <= 60 << 10, kib -> kib + 1024), true, 1, snapshot());
    }

    /** The guest has 2 MiB to flush: where there is no room for them it is halted, and killed after the time of grace. */
    @Test
    void aStopEndsWithHoweverLittleRoomAndItsEndIsRecorded() throws IOException {
        List<Long> vms = processes();
        stopWith(20 << 10, vms);
        NavigableSet<String> files = files();
        for (long kib : List.of(1024L, 256L, 64L, 0L)) {
            stopWith(kib, vms);
            assertThat(files()).as("files after a stop with " + kib + " KiB").isEqualTo(files);
        }
    }

    private static void stopWith(long kib, List<Long> vms) throws IOException {
        String step = "a stop with " + kib + " KiB";
        DISK.good("start", "made");
        DISK.good("exec", "made", "--", "sh", "-c", "head -c 2m /dev/urandom >/written-" + kib);
        String command = DISK.good("exec", "--detach", "made", "--", "sleep", "100000")
                .stdout()
                .strip();
        Path filler = DISK.fill(kib * KIB);
        DISK.good("stop", "-t", "5", "made");
        assertThat(processes()).as("processes after " + step).isEqualTo(vms);
        assertThat(DISK.good("inspect", "made").stdout()).as(step).contains("stopped", "shutdown-requested");
        Files.delete(filler);
        // The next driver records a command whose sandbox is gone as failed.
        assertThat(DISK.cloche().run("process", "await", command).exitCode())
                .as(step)
                .isNotZero();
        assertThat(DISK.good("process", "ls").stdout()).as(step).doesNotContain(command);
        assertThat(DISK.good("catalog", "check").stdout()).isEqualTo("all is sound\n");
        DISK.good("process", "prune");
        DISK.good("maintain");
    }

    private static String[] start() {
        return new String[] {"run", "-q", "--rm", "-m", "128m", "base", "--", "true"};
    }

    private static String[] snapshot() {
        return new String[] {"snapshot", "create", "runs", "taken"};
    }

    private static void stepByStep(LongStream kibs, boolean withReserve, int exitCode, String... command)
            throws IOException {
        List<String> sandboxes = sandboxes();
        List<Long> vms = processes();
        NavigableSet<String> files = files();
        for (long kib : kibs.toArray()) {
            String step = String.join(" ", command) + " with " + kib + " KiB";
            if (!withReserve) {
                Files.deleteIfExists(DISK.home().resolve("reserve"));
            }
            Path filler = DISK.fill(kib * KIB);
            Result result = DISK.cloche().run(command);
            Files.delete(filler);
            if (result.exitCode() == 0) {
                undo(command);
            } else {
                assertThat(result.exitCode()).as("%s: %s", step, result).isEqualTo(exitCode);
                assertThat(result.stderr()).as(step).startsWith("cloche: ").containsIgnoringCase("space");
                assertThat(result.stderr().lines()).as("%s: %s", step, result).hasSize(2);
                assertThat(processes()).as("processes after " + step).isEqualTo(vms);
                // What could not even be recorded as ended is, by the next who looks.
                assertThat(sandboxes()).as("sandboxes after " + step).isEqualTo(sandboxes);
            }
            assertThat(files()).as("files after " + step).isEqualTo(files);
            assertThat(DISK.good("catalog", "check").stdout()).isEqualTo("all is sound\n");
            DISK.good("maintain");
        }
    }

    private static void undo(String... command) {
        switch (command[0]) {
            case "snapshot" -> DISK.good("snapshot", "rm", "taken");
            case "start" -> DISK.good("kill", "made");
            default -> assertThat(command[0]).isEqualTo("run");
        }
    }

    /** By name. */
    private static List<String> sandboxes() {
        return DISK.good("ps", "-a")
                .stdout()
                .lines()
                .map(line -> line.replaceFirst(" .*", ""))
                .toList();
    }

    private static List<Long> processes() {
        return DISK.cloche().vmProcesses().stream()
                .map(ProcessHandle::pid)
                .sorted()
                .toList();
    }

    /** By name: of the state root, but for records, and for VMs, which are compared with these; and sockets. */
    private static NavigableSet<String> files() throws IOException {
        NavigableSet<String> names = new TreeSet<>();
        for (Path root : List.of(DISK.home(), sockets)) {
            try (Stream<Path> all = Files.walk(root)) {
                all.map(path -> root.relativize(path).toString())
                        .filter(name -> !name.startsWith("catalog.db") && !name.equals("reserve"))
                        .filter(name -> !name.matches("vms/[0-9a-f]+(/.*)?|.*\\.[1-7]"))
                        .forEach(names::add);
            }
        }
        return names;
    }
}
