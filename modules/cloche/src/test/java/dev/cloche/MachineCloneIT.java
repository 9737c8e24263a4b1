package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * Clones of a machine that is being written to: each is the disk of one moment, with all that was written before it, synced or
 * not, and nothing of what came later.
 */
class MachineCloneIT extends MachinesInVms {
    private static final int CLONES = 3;

    /**
     * As a database does it, a step after the other: a journal says what is begun, two files are replaced, the journal says
     * that it is done. Two logs are written beside it that are never synced, and there is always something on its way to disk.
     */
    private static final String WRITER = """
        cd /root
        put() { echo $2 | dd of=$1.new conv=fsync 2>/dev/null; mv $1.new $1; }
        i=0
        while :; do
            i=$((i+1))
            echo begin $i | dd of=journal oflag=append conv=notrunc,fsync 2>/dev/null
            put a $i
            echo $i >>first
            head -c 65536 /dev/zero >>bulk
            echo $i >>second
            put b $i
            echo done $i | dd of=journal oflag=append conv=notrunc,fsync 2>/dev/null
        done
        """;

    @Test
    void eachCloneOfABusyMachineIsItsDiskAsOfOneMomentAndInOrder() throws Exception {
        assumeThereAre("e2fsck", "tar", "zstd");
        small("one").make();
        try (Machine machine = machines.start("one")) {
            machine.files().writeString("/root/writer", WRITER);
            assertThat(machine.exec("sh", "-c", "sh /root/writer >/dev/null 2>&1 </dev/null &")
                            .exitCode())
                    .isZero();
            for (int i = 0; i < CLONES; i++) {
                long before = awaitMoreThan(machine, 3L * i);
                machines.copy("one", "clone" + i, false);
                long after = reached(machine);
                assertInOrder("clone" + i);
                assertOfOneMoment("clone" + i, before, after);
            }
            awaitMoreThan(machine, reached(machine));
        }
    }

    /** How far the writer has come. */
    private static long reached(Machine machine) {
        return machine.exec("sh", "-c", "grep -c done /root/journal")
                .stdoutText()
                .lines()
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElse(0);
    }

    private static long awaitMoreThan(Machine machine, long count) {
        return Awaitility.await().until(() -> reached(machine), now -> now > count);
    }

    /** Read by the tools of a host, from a copy: no damage, and no journal to replay. */
    private void assertInOrder(String clone) throws Exception {
        Path archive = home.resolve(clone + ".tar.zst");
        Path out = Files.createDirectories(home.resolve(clone));
        machines.export(clone, archive);
        assertThat(said(0, "tar", "--zstd", "-xf", archive.toString(), "-C", out.toString()))
                .isEmpty();
        String disk = out.resolve("disk.raw").toString();
        assertThat(said(0, "e2fsck", "-f", "-n", disk)).doesNotContain("ournal recovery", "Fix", "WARNING");
        assertThat(said(0, "dumpe2fs", "-h", disk)).contains("has_journal").doesNotContain("needs_recovery");
        Files.delete(out.resolve("disk.raw"));
    }

    private void assertOfOneMoment(String clone, long atLeast, long atMost) {
        try (Machine machine = machines.start(clone)) {
            List<String> journal =
                    machine.files().readString("/root/journal").lines().toList();
            long begun =
                    journal.stream().filter(line -> line.startsWith("begin ")).count();
            long done = journal.size() - begun;
            assertThat(done).isBetween(atLeast, atMost);
            assertThat(begun - done).isBetween(0L, 1L);
            assertThat(journal)
                    .isEqualTo(LongStream.rangeClosed(1, begun)
                            .boxed()
                            .flatMap(i -> LongStream.of(0, 1).mapToObj(step -> (step == 0 ? "begin " : "done ") + i))
                            .limit(journal.size())
                            .toList());
            long a = number(machine, "/root/a");
            long b = number(machine, "/root/b");
            assertThat(List.of(begun - a, a - b, b - done)).allMatch(lead -> lead == 0 || lead == 1);
            assertThat(begun - done).isEqualTo((begun - a) + (a - b) + (b - done));
            long first = countedTo(machine, "/root/first");
            long second = countedTo(machine, "/root/second");
            assertThat(List.of(a - first, first - second, second - b)).allMatch(lead -> lead == 0 || lead == 1);
            assertThat(machine.exec("sh", "-c", "dmesg | grep EXT4-fs").stdoutText())
                    .contains("mounted filesystem")
                    .doesNotContain("recover", "error", "orphan");
        }
        machines.remove(clone, true);
    }

    private static long number(Machine machine, String path) {
        return Long.parseLong(machine.files().readString(path).strip());
    }

    /** The last of its lines, which are all numbers from 1 on. */
    private static long countedTo(Machine machine, String path) {
        String text = machine.files().readString(path);
        List<String> lines = text.lines().toList();
        assertThat(lines)
                .isEqualTo(LongStream.rangeClosed(1, lines.size())
                        .mapToObj(Long::toString)
                        .toList());
        assertThat(text).endsWith("\n");
        return lines.size();
    }

    private static void assumeThereAre(String... programs) throws Exception {
        for (String program : programs) {
            Process which = new ProcessBuilder("sh", "-c", "command -v " + program)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            Assumptions.assumeTrue(which.waitFor() == 0, program + " is not installed");
        }
    }

    private static String said(int exitCode, String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(words).isEqualTo(exitCode);
        return words;
    }
}
