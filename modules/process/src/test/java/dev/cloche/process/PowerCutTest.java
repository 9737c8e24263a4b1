package dev.cloche.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.ChildJvm;
import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogException;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
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
    /** Where something is to be found: chance may have some of the moments show nothing. */
    private static final int ALL = Integer.MAX_VALUE;

    @TempDir
    static Path directory;

    private static final List<TracedDisk.Loss> LOSSES = List.of(TracedDisk.Loss.values());
    private static List<DiskEvent> traced = List.of();

    @BeforeAll
    static void traceOnce() throws Exception {
        assumeStrace();
        traced = trace(1, List.of());
    }

    @Test
    void nothingThatWasAcknowledgedIsLostAndNoFenceIsGivenTwice() throws Exception {
        assertThat(firstBroken(traced, moments(traced, 90, 1), 1)).isEmpty();
    }

    @Test
    @Tag("slow")
    void nothingThatWasAcknowledgedIsLostWhereverThePowerIsCut() throws Exception {
        for (int seed = 2; seed <= 5; seed++) {
            List<DiskEvent> events = trace(seed, List.of());
            assertThat(firstBroken(events, moments(events, 1_000, seed), seed)).isEmpty();
        }
    }

    /** Every fsync is answered by strace with success, and not made: as {@code PRAGMA synchronous=OFF} would have it. */
    @Test
    void aRegistryThatDoesNotForceItsCommitsToTheDiskIsFoundOut() throws Exception {
        List<DiskEvent> events = trace(6, List.of("-e", "inject=fsync,fdatasync:retval=0"));
        assertThat(firstBroken(events, moments(events, ALL, 1), 1)).isNotEmpty();
    }

    @Test
    void aRegistryThatAcknowledgesBeforeItsCommitIsOnTheDiskIsFoundOut() throws Exception {
        List<DiskEvent> early = acknowledgedBeforeTheSync(traced);
        assertThat(firstBroken(early, moments(early, ALL, 1), 1)).isNotEmpty();
    }

    /** Some of the moments around syncs and acknowledgements: between them nothing is promised. */
    private static List<Integer> moments(List<DiskEvent> events, int count, long seed) {
        List<Integer> moments = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            if (!(events.get(i) instanceof DiskEvent.Begun)) {
                moments.add(i + 1);
            }
        }
        assertThat(moments).as("moments that matter").hasSizeGreaterThan(500);
        Collections.shuffle(moments, new Random(seed));
        return moments.stream().limit(count).sorted().toList();
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

    /** Cuts the power at each moment, that is after as many events; what is broken after the first that breaks anything. */
    private static List<String> firstBroken(List<DiskEvent> events, List<Integer> moments, long seed)
            throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        TracedDisk disk = new TracedDisk();
        PowerCutLedger ledger = new PowerCutLedger();
        int done = 0;
        for (int i = 0; i < moments.size(); i++) {
            for (DiskEvent event : events.subList(done, moments.get(i))) {
                disk.apply(event);
                if (event instanceof DiskEvent.Acknowledged(String line)) {
                    ledger.read(line);
                }
            }
            done = moments.get(i);
            TracedDisk.Loss loss = LOSSES.get(i % LOSSES.size());
            List<String> broken = broken(disk, ledger, loss, random.split());
            if (!broken.isEmpty()) {
                List<String> all = new ArrayList<>(broken);
                all.add("after event " + done + " of " + events.size() + ", loss of " + loss + ", seed " + seed);
                return all;
            }
        }
        return List.of();
    }

    private static List<String> broken(
            TracedDisk disk, PowerCutLedger ledger, TracedDisk.Loss loss, RandomGenerator random) throws IOException {
        Path image = Files.createTempDirectory(directory, "image");
        disk.image(image, loss, random);
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
    private static List<DiskEvent> trace(long seed, List<String> options) throws IOException, InterruptedException {
        Path root = Files.createDirectory(directory.resolve("state-" + seed));
        Path acknowledgements = directory.resolve("acknowledgements-" + seed);
        Path trace = directory.resolve("trace-" + seed);
        Path output = directory.resolve("output-" + seed);
        List<String> command = new ArrayList<>(List.of(
                "strace", "-f", "--seccomp-bpf", "-y", "-xx", "-s", "1000000", "-e", "trace=" + CallTrace.CALLS));
        command.addAll(options);
        command.addAll(List.of("-o", trace.toString()));
        command.addAll(ChildJvm.command(
                PowerCutProgram.class,
                root.toString(),
                acknowledgements.toString(),
                Integer.toString(THREADS),
                Long.toString(seed)));
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
