package dev.cloche.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogException;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Cuts the power below SQLite. A program's system calls are traced; the files are then laid out again as a disk may hold
 * them at any moment, without what was not synced by then or with a random part of it, and the registry is opened over
 * them.
 */
class PowerCutTest {
    private static final int THREADS = 4;

    @TempDir
    Path directory;

    @Test
    void nothingThatWasAcknowledgedIsLostAndNoFenceIsGivenTwice() throws Exception {
        cut(trace(1, List.of()), 60, 1);
    }

    @Test
    @Tag("slow")
    void nothingThatWasAcknowledgedIsLostWhereverThePowerIsCut() throws Exception {
        for (int seed = 2; seed <= 5; seed++) {
            cut(trace(seed, List.of()), 800, seed);
        }
    }

    /** Every fsync is answered by strace with success, and not made: as {@code PRAGMA synchronous=OFF} would have it. */
    @Test
    void aRegistryThatDoesNotForceItsCommitsToTheDiskIsFoundOut() throws Exception {
        List<DiskEvent> events = trace(1, List.of("-e", "inject=fsync,fdatasync:retval=0"));
        assertThat(brokenAt(events, events.size(), TracedDisk.Loss.EVERYTHING, 1))
                .isNotEmpty();
    }

    @Test
    void aRegistryThatAcknowledgesBeforeItsCommitIsOnTheDiskIsFoundOut() throws Exception {
        List<DiskEvent> early = acknowledgedBeforeTheSync(trace(1, List.of()));
        List<String> broken = new ArrayList<>();
        List<Integer> cuts = moments(early);
        for (int i = 0; i < cuts.size() && broken.isEmpty(); i++) {
            broken.addAll(brokenAt(early, cuts.get(cuts.size() - 1 - i), TracedDisk.Loss.EVERYTHING, 1));
        }
        assertThat(broken).isNotEmpty();
    }

    private void cut(List<DiskEvent> events, int times, long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        List<Integer> moments = moments(events);
        assertThat(moments).as("moments that matter").hasSizeGreaterThan(200);
        TracedDisk.Loss[] losses = TracedDisk.Loss.values();
        for (int i = 0; i < times; i++) {
            int moment = moments.get(random.nextInt(moments.size()));
            TracedDisk.Loss loss = losses[i % losses.length];
            assertThat(brokenAt(events, moment, loss, seed + i))
                    .as("power cut before event %d of %d, loss of %s, seed %d", moment, events.size(), loss, seed + i)
                    .isEmpty();
        }
    }

    /** Just before and after each sync and each acknowledgement: between them nothing is promised. */
    private static List<Integer> moments(List<DiskEvent> events) {
        List<Integer> moments = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            boolean matters = switch (events.get(i)) {
                case DiskEvent.Acknowledged _, DiskEvent.Ended _ -> true;
                case DiskEvent.Begun _ -> false;
            };
            if (matters) {
                moments.add(i);
                moments.add(i + 1);
            }
        }
        return moments;
    }

    /** The same, but each line was written before the sync that it had waited for. */
    private static List<DiskEvent> acknowledgedBeforeTheSync(List<DiskEvent> events) {
        List<DiskEvent> early = new ArrayList<>();
        int lastSync = 0;
        for (DiskEvent event : events) {
            if (event instanceof DiskEvent.Acknowledged) {
                early.add(lastSync++, event);
            } else {
                if (event instanceof DiskEvent.Begun(int _, DiskEvent.SyncFile _)) {
                    lastSync = early.size();
                }
                early.add(event);
            }
        }
        return early;
    }

    /** What is broken after the first {@code moment} events and a power cut. */
    private List<String> brokenAt(List<DiskEvent> events, int moment, TracedDisk.Loss loss, long seed)
            throws IOException {
        TracedDisk disk = new TracedDisk();
        PowerCutLedger ledger = new PowerCutLedger();
        for (DiskEvent event : events.subList(0, moment)) {
            disk.apply(event);
            if (event instanceof DiskEvent.Acknowledged(String line)) {
                ledger.read(line);
            }
        }
        Path image = Files.createTempDirectory(directory, "image");
        disk.image(image, loss, new SplittableRandom(seed));
        try (Catalog catalog = Catalog.open(image, List.of(SqliteProcessStore.schema()));
                ProcessRegistry registry = ProcessRegistry.over(SqliteProcessStore.open(catalog, image))) {
            return ledger.broken(registry);
        } catch (CatalogException | ProcessException e) {
            return List.of("the registry cannot be used: " + e);
        } finally {
            delete(image);
        }
    }

    /** Runs the program to its end, without anything but its system calls being watched. */
    private List<DiskEvent> trace(long seed, List<String> options) throws IOException, InterruptedException {
        Path root = Files.createDirectory(directory.resolve("state-" + seed));
        Path acknowledgements = directory.resolve("acknowledgements-" + seed);
        Path trace = directory.resolve("trace-" + seed);
        Path output = directory.resolve("output-" + seed);
        List<String> command = new ArrayList<>(List.of(
                "strace", "-f", "--seccomp-bpf", "-y", "-xx", "-s", "1000000", "-e", "trace=" + CallTrace.CALLS));
        command.addAll(options);
        command.addAll(List.of("-o", trace.toString()));
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                PowerCutProgram.class.getName(),
                root.toString(),
                acknowledgements.toString(),
                Integer.toString(THREADS),
                Long.toString(seed)));
        assumeStrace();
        java.lang.Process process = new ProcessBuilder(command)
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(3, TimeUnit.MINUTES)).as("it ends").isTrue();
            assertThat(process.exitValue()).as(Files.readString(output)).isZero();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        List<DiskEvent> events = CallTrace.read(trace, root, acknowledgements);
        Files.delete(trace);
        return events;
    }

    private static void assumeStrace() throws InterruptedException {
        try {
            int code = new ProcessBuilder("strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "true")
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.DISCARD)
                    .start()
                    .waitFor();
            Assumptions.assumeTrue(code == 0, "strace may not trace here");
        } catch (IOException e) {
            Assumptions.abort("strace is not installed: " + e.getMessage());
        }
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
