package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.qemu.VmLayout;
import dev.cloche.vm.testing.PlayedProgram;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * 200 times: a process makes a sandbox of a real VM, runs a command in it and removes it, or is killed somewhere on the way.
 * Then everything that was used is counted: descriptors of this process, guards and QEMUs, files, sockets, rows.
 */
@Tag("slow")
class SandboxSoakIT {
    private static final int CYCLES = Integer.getInteger("soak.cycles", 200);

    @TempDir
    Path directory;

    @Test
    void nothingIsLeftAfterTwoHundredCyclesWithKills() throws Exception {
        Assumptions.assumeTrue(Files.isDirectory(KillWorld.share()), "nothing is installed: run ./setup first");
        KillSetup setup = KillSetup.ofQemu(directory);
        Path root = setup.freshRoot("soak");
        int steps = setup.rehearse(root, KillScenario.NAMED);
        long seed = Long.getLong("soak.seed", System.nanoTime());
        System.out.println("soak.seed " + seed);
        Random random = new Random(seed);
        int killed = 0;
        try (KillRuntime runtime = setup.open(root)) {
            SandboxMaintenance maintenance =
                    runtime.sandboxes().maintenance(setup.world().limits());
            var _ = maintenance.sweep();
            List<String> descriptors = descriptors();
            for (int cycle = 0; cycle < CYCLES; cycle++) {
                KillScenario scenario = List.of(KillScenario.EPHEMERAL, KillScenario.NAMED, KillScenario.DETACHED)
                        .get(random.nextInt(3));
                int at = random.nextBoolean() ? 1 + random.nextInt(steps) : Integer.MAX_VALUE;
                PlayedProgram played = setup.killAt(at, root, scenario);
                assertThat(played.killed() || played.exitCode() == 0)
                        .as(scenario + " " + played.output())
                        .isTrue();
                killed += played.killed() ? 1 : 0;
                settle(runtime, maintenance);
            }
            System.out.println(CYCLES + " cycles, " + killed + " killed");
            // A busy process may have opened one more of what it keeps, such as a connection; a leak would be one each
            // cycle.
            assertThat(descriptors())
                    .as("descriptors, before: " + descriptors)
                    .hasSizeLessThan(descriptors.size() + CYCLES / 20);
            for (String table : List.of("sandbox", "run", "image_pin")) {
                assertThat(runtime.catalog()
                                .<Long, RuntimeException>read(transaction -> transaction
                                        .first(row -> row.getLong(1), "SELECT count(*) FROM " + table)
                                        .orElseThrow()))
                        .as(table)
                        .isZero();
            }
        }
        assertThat(processes(root)).isEmpty();
        assertEmpty(root.resolve("state/vms"));
        assertEmpty(root.resolve("state/sandboxes"));
        Path sockets = VmLayout.of(root.resolve("state")).runtimeDirectory();
        assertEmpty(sockets);
        Files.delete(sockets);
        Files.delete(VmLayout.of(directory.resolve("template/state")).runtimeDirectory());
        Files.delete(VmLayout.of(directory.resolve("archive/state")).runtimeDirectory());
    }

    /** Sweeps until no VM is waiting for its guard, and removes what is named. */
    private static void settle(KillRuntime runtime, SandboxMaintenance maintenance) {
        Awaitility.await().until(() -> {
            var _ = maintenance.sweep();
            for (SandboxRecord row : runtime.store().list(SandboxFilter.all())) {
                if (!row.ephemeral()) {
                    runtime.sandboxes().remove(row.name(), true, KillScenario.soon());
                }
            }
            return runtime.store().list(SandboxFilter.all()).isEmpty();
        });
    }

    private static List<String> descriptors() throws IOException {
        List<String> targets = new ArrayList<>();
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path link : open) {
                try {
                    targets.add(Files.readSymbolicLink(link).toString());
                } catch (NoSuchFileException closedMeanwhile) {
                    // It is none any more.
                }
            }
        }
        return targets;
    }

    /** The command lines of processes that have to do with a state root. */
    private static List<String> processes(Path root) {
        return ProcessHandle.allProcesses()
                .flatMap(process -> process.info().commandLine().stream())
                .filter(line -> line.contains(root.toString()))
                .toList();
    }

    private static void assertEmpty(Path directory) {
        if (Files.exists(directory)) {
            assertThat(directory).isEmptyDirectory();
        }
    }
}
