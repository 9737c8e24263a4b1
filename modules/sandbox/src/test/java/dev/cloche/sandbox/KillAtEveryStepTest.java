package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.linux.LockFile;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kills processes that work with sandboxes, with SIGKILL, before and after each statement and each operation on a file. Two
 * sweeps of other runtimes later nothing of the dead one may be left, and nothing of others may be harmed.
 */
class KillAtEveryStepTest {
    @TempDir
    static Path directory;

    static KillGround ground;

    @BeforeAll
    static void prepare() throws Exception {
        ground = new KillGround(directory);
        ground.rehearse(root("archive", KillScenario.NAMED), KillScenario.NAMED, true);
    }

    @ParameterizedTest
    @EnumSource(KillScenario.class)
    void nothingIsLeftAndNobodyElseIsHarmed(KillScenario scenario) throws Exception {
        int steps = ground.rehearse(root(scenario + "-whole", scenario), scenario, false);
        assertThat(steps).isGreaterThan(10);
        List<Callable<Optional<String>>> kills = IntStream.rangeClosed(1, steps)
                .<Callable<Optional<String>>>mapToObj(step -> () -> kill(scenario, step))
                .toList();
        List<String> wrong = new ArrayList<>();
        try (ExecutorService pair = Executors.newFixedThreadPool(2)) {
            for (Future<Optional<String>> kill : pair.invokeAll(kills)) {
                kill.get().ifPresent(wrong::add);
            }
        }
        System.out.println(scenario + ": killed at each of " + steps + " steps");
        assertThat(wrong).as("wrong after kills").isEmpty();
    }

    /** @return what is wrong then */
    private static Optional<String> kill(KillScenario scenario, int step) throws Exception {
        Path root = root(scenario + "-" + step, scenario);
        try (KillRuntime other = ground.open(root, FiledVms::new);
                RunningSandbox bystander = KillScenario.bystander(other)) {
            KillGround.Played played = ground.killAt(step, root, scenario);
            // Threads of a scenario take turns as they like, so that now and then it has a step less.
            assertThat(played.killed() || played.exitCode() == 0)
                    .as(played.output())
                    .isTrue();
            try {
                sweep(other);
                try (KillRuntime another = ground.open(root, FiledVms::new)) {
                    sweep(another);
                }
                assertWhole(root, other, bystander);
                return Optional.empty();
            } catch (AssertionError | RuntimeException e) {
                return Optional.of(scenario + ", " + played.lastLine() + ": " + e);
            }
        }
    }

    private static void sweep(KillRuntime runtime) {
        SandboxMaintenance maintenance = runtime.sandboxes().maintenance(KillScenario.AT_ONCE);
        // A sweep that was killed keeps its lease until that expires.
        Awaitility.await().until(() -> maintenance.sweepIfDue().outcome() == MaintenanceReport.Outcome.SWEPT);
    }

    private static void assertWhole(Path root, KillRuntime runtime, RunningSandbox bystander) throws IOException {
        assertThat(TestHost.output(TestHost.exec(bystander, "echo", "here"))).isEqualTo("here\n");
        List<SandboxRecord> rows = runtime.store().all();
        for (SandboxRecord row : rows) {
            if (row.id() == bystander.id()) {
                assertThat(row.status()).isEqualTo(SandboxStatus.RUNNING);
            } else {
                assertThat(row.ephemeral())
                        .as("an ephemeral sandbox is left: " + row)
                        .isFalse();
                assertThat(row.status().active()).as("an active one: " + row).isFalse();
                assertThat(row.latestRun().map(RunRecord::status))
                        .as("its run: " + row)
                        .isNotEqualTo(Optional.of(RunStatus.RUNNING));
            }
        }
        assertThat(names(root.resolve("state/sandboxes")))
                .as("directories of sandboxes")
                .isSubsetOf(rows.stream().map(SandboxRecord::directory).toList());
        assertThat(names(root.resolve("state/vms")))
                .as("directories of VMs")
                .isSubsetOf(rows.stream()
                        .flatMap(row -> row.latestRun().stream())
                        .map(RunRecord::vm)
                        .map(VmId::value)
                        .toList());
        assertThat(count(runtime, "image_pin")).as("pins").isLessThanOrEqualTo(rows.size());
        for (SandboxRecord row : rows) {
            if (row.id() != bystander.id()) {
                assertThat(LockFile.isHeld(root.resolve("state/sandboxes")
                                .resolve(row.directory())
                                .resolve("owner.lock")))
                        .isFalse();
                // What is left of a named one is whole: it can be removed.
                runtime.sandboxes().remove(row.name(), false, KillScenario.soon());
            }
        }
        assertThat(runtime.store().all()).hasSize(1);
        assertThat(count(runtime, "run")).isEqualTo(1);
        assertThat(count(runtime, "image_pin")).isEqualTo(1);
        assertThat(names(root.resolve("state/vms"))).hasSize(1);
        assertThat(names(root.resolve("state/sandboxes"))).hasSizeLessThanOrEqualTo(1);
    }

    private static long count(KillRuntime runtime, String table) {
        return runtime.catalog()
                .<Optional<Long>, RuntimeException>read(
                        session -> session.first(row -> row.getLong(1), "SELECT count(*) FROM " + table))
                .orElseThrow();
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }

    private static Path root(String name, KillScenario scenario) throws IOException {
        Path root = ground.freshRoot(name);
        try (KillRuntime runtime = ground.open(root, FiledVms::new)) {
            scenario.prepare(runtime);
        }
        return root;
    }
}
