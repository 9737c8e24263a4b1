package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Starts, snapshots and stops on a disk that is full after so many bytes, from none to as many as are enough: starts and snapshots
 * that find no room say so in one sentence, and leave no file, socket, process or record; stops take the reserve. Pulls and loads
 * are tested where images are.
 */
@Tag("slow")
class FullDiskStepsIT {
    private static final long KIB = 1 << 10;

    private static Path home = Path.of("");
    private static Program cloche = Program.in(home);
    private static Path sockets = Path.of("");
    private static boolean mounted;

    @BeforeAll
    static void begin() throws Exception {
        Assumptions.assumeTrue(Program.isRoot(), "only root can mount a small file system");
        home = Files.createTempDirectory("cloche-steps");
        Program.run(List.of("mount", "-t", "tmpfs", "-o", "mode=700,size=400m", "none", home.toString()));
        mounted = true;
        cloche = Program.in(home);
        good("run", "-q", "-d", "-m", "128m", "--disk", "0", "--name", "runs", "base", "--", "sleep", "1000");
        good("create", "-m", "128m", "--disk", "64m", "--name", "made", "base", "--", "sleep", "1000");
        good("run", "-q", "--rm", "-m", "128m", "base", "--", "true");
        // What is made once and stays, as an empty file system of this size.
        good("start", "made");
        good("kill", "made");
        good("snapshot", "create", "runs", "taken");
        good("snapshot", "rm", "taken");
        good("maintain");
        sockets = socketsOf(home);
    }

    @AfterAll
    static void unmount() throws Exception {
        if (mounted) {
            cloche.run("rm", "-f", "runs", "made");
            Program.run(List.of("umount", home.toString()));
            Files.delete(home);
        }
    }

    private static Path socketsOf(Path stateRoot) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/tmp/cloche-0"))) {
            for (Path of : all.filter(path -> path.toString().endsWith(".of")).toList()) {
                if (Files.readString(of).strip().equals(stateRoot.toRealPath().toString())) {
                    return Path.of(of.toString().replaceFirst("\\.of$", ""));
                }
            }
        }
        throw new IOException("no directory of sockets for " + stateRoot);
    }

    private static Result good(String... arguments) {
        Result result = cloche.run(arguments);
        assertThat(result.exitCode())
                .as("%s: %s", String.join(" ", arguments), result)
                .isZero();
        return result;
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
        assertThat(good("exec", "runs", "echo", "lives").stdout()).isEqualTo("lives\n");
        good("snapshot", "create", "runs", "taken");
        good("snapshot", "rm", "taken");
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
        good("start", "made");
        good("exec", "made", "--", "sh", "-c", "head -c 2m /dev/urandom >/written-" + kib);
        String command =
                good("exec", "--detach", "made", "--", "sleep", "1000").stdout().strip();
        Path filler = fill(kib * KIB);
        good("stop", "-t", "5", "made");
        assertThat(processes()).as("processes after " + step).isEqualTo(vms);
        assertThat(good("inspect", "made").stdout()).as(step).contains("stopped", "shutdown-requested");
        Files.delete(filler);
        // The next driver records a command whose sandbox is gone as failed.
        assertThat(cloche.run("process", "await", command).exitCode()).as(step).isNotZero();
        assertThat(good("process", "ls").stdout()).as(step).doesNotContain(command);
        assertThat(good("catalog", "check").stdout()).isEqualTo("all is sound\n");
        good("process", "prune");
        good("maintain");
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
                Files.deleteIfExists(home.resolve("reserve"));
            }
            Path filler = fill(kib * KIB);
            Result result = cloche.run(command);
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
            assertThat(good("catalog", "check").stdout()).isEqualTo("all is sound\n");
            good("maintain");
        }
    }

    private static void undo(String... command) {
        switch (command[0]) {
            case "snapshot" -> good("snapshot", "rm", "taken");
            case "start" -> good("kill", "made");
            default -> assertThat(command[0]).isEqualTo("run");
        }
    }

    /** By name. */
    private static List<String> sandboxes() {
        return good("ps", "-a")
                .stdout()
                .lines()
                .map(line -> line.replaceFirst(" .*", ""))
                .toList();
    }

    private static List<Long> processes() {
        return cloche.vmProcesses().stream().map(ProcessHandle::pid).sorted().toList();
    }

    /** By name: of the state root, but for records, and for VMs, which are compared with these; and sockets. */
    private static NavigableSet<String> files() throws IOException {
        NavigableSet<String> names = new TreeSet<>();
        for (Path root : List.of(home, sockets)) {
            try (Stream<Path> all = Files.walk(root)) {
                all.map(path -> root.relativize(path).toString())
                        .filter(name -> !name.startsWith("catalog.db") && !name.equals("reserve"))
                        .filter(name -> !name.matches("vms/[0-9a-f]+(/.*)?|.*\\.[1-7]"))
                        .forEach(names::add);
            }
        }
        return names;
    }

    /** Leaves so many bytes. */
    private static Path fill(long left) throws IOException {
        Path filler = home.resolve("filler");
        byte[] block = new byte[1 << 20];
        try (RandomAccessFile file = new RandomAccessFile(filler.toFile(), "rw")) {
            for (long free = free(); free > left; free = free()) {
                file.write(block, 0, (int) Math.min(block.length, free - left));
            }
        }
        return filler;
    }

    private static long free() {
        return home.toFile().getUsableSpace();
    }
}
