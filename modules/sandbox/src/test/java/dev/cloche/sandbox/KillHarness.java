package dev.cloche.sandbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.qemu.VmLayout;
import dev.cloche.sandbox.directory.KeptSecrets;
import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmState;
import dev.cloche.vm.testing.PlayedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * Kills processes that play a scenario, each at another step and in a state root of its own, where a bystander has a
 * sandbox too. After each kill two other runtimes sweep; then nothing of the dead one may be left that is neither
 * recorded nor alive, what lives must answer, and the bystander must not have noticed.
 */
final class KillHarness {
    private final KillSetup setup;
    private final KillWorld world;

    KillHarness(KillSetup setup) {
        this.setup = setup;
        this.world = setup.world();
    }

    /** @param stride 1 to kill at each step, 10 to kill at each tenth */
    void killAtSteps(KillScenario scenario, int stride) throws Exception {
        int steps = setup.rehearse(root(scenario + "-whole", scenario), scenario);
        assertThat(steps).isGreaterThan(10);
        List<Callable<Optional<String>>> kills = IntStream.rangeClosed(1, steps)
                .filter(step -> step % stride == 0)
                .<Callable<Optional<String>>>mapToObj(step -> () -> kill(scenario, step))
                .toList();
        List<String> wrong = new ArrayList<>();
        try (ExecutorService pair = Executors.newFixedThreadPool(2)) {
            for (Future<Optional<String>> kill : pair.invokeAll(kills)) {
                kill.get().ifPresent(wrong::add);
            }
        }
        System.out.println(scenario + ": " + kills.size() + " kills at " + steps + " steps");
        assertThat(wrong).as("wrong after kills").isEmpty();
    }

    /** @return what is wrong then */
    private Optional<String> kill(KillScenario scenario, int step) throws Exception {
        Path root = root(scenario + "-" + step, scenario);
        try (KillRuntime other = setup.open(root);
                RunningSandbox bystander = KillScenario.bystander(other)) {
            PlayedProgram played = setup.killAt(step, root, scenario);
            // Threads of a scenario take turns as they like, so that now and then it has a step less.
            assertThat(played.killed() || played.exitCode() == 0)
                    .as(played.output())
                    .isTrue();
            try {
                scenario.survive(other);
                sweep(other);
                try (KillRuntime another = setup.open(root)) {
                    sweep(another);
                }
                awaitEnds(other);
                assertThat(TestHost.output(TestHost.exec(bystander, "echo", "here")))
                        .isEqualTo("here\n");
                assertWhole(root, other, bystander);
                assertRemovable(root, other, bystander);
                sweep(other);
                assertNoMemory(root, other);
            } catch (AssertionError | RuntimeException e) {
                return Optional.of(scenario + ", " + played.lastLine() + ": " + e);
            }
        }
        assertNoSockets(root);
        return Optional.empty();
    }

    private void sweep(KillRuntime runtime) {
        SandboxMaintenance maintenance = runtime.sandboxes().maintenance(world.limits());
        // A sweep that was killed keeps its lease until that expires, and guards have their grace.
        Awaitility.await()
                .pollDelay(world.grace().plusMillis(1))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> maintenance.sweepIfDue().outcome() == MaintenanceReport.Outcome.SWEPT);
    }

    /**
     * What a sweep goes on with ends a moment after it; what it cannot end in its first attempt, in a later one. The VM of a dead
     * starter is ended by its guard, which a busy host lets wait.
     */
    private void awaitEnds(KillRuntime runtime) {
        Set<SandboxStatus> passing = EnumSet.of(
                SandboxStatus.DRAINING, SandboxStatus.STARTING, SandboxStatus.SUSPENDING, SandboxStatus.RESUMING);
        Awaitility.await().atMost(Duration.ofMinutes(5)).until(() -> {
            sweep(runtime);
            return runtime.store().list(SandboxFilter.all()).stream()
                    .noneMatch(row -> passing.contains(row.status()) || KillScenario.isHeld(runtime, row));
        });
    }

    /** What is recorded is true, and what is there is recorded. */
    private static void assertWhole(Path root, KillRuntime runtime, RunningSandbox bystander) throws IOException {
        List<SandboxRecord> rows = runtime.store().list(SandboxFilter.all());
        for (SandboxRecord row : rows) {
            Optional<VmState> vm =
                    row.latestRun().flatMap(run -> runtime.vms().get(run.vm())).map(VmInfo::state);
            boolean live = vm.filter(VmState::live).isPresent();
            if (row.id() == bystander.id()) {
                assertThat(row.status()).isEqualTo(SandboxStatus.RUNNING);
            } else if (row.status() == SandboxStatus.SUSPENDED) {
                assertThat(live).as("suspended and alive: " + row).isFalse();
                runtime.sandboxes().resume(row.name(), KillScenario.soon());
                assertAnswers(root, runtime, runtime.sandboxes().get(row.id()));
            } else if (row.status().active()) {
                assertThat(live).as("recorded as active and dead: " + row).isTrue();
                assertThat(row.latestRun().orElseThrow().detached())
                        .as("attached to a dead process: " + row)
                        .isTrue();
                assertAnswers(root, runtime, row);
            } else {
                assertThat(live).as("recorded as ended and alive: " + row).isFalse();
                assertThat(row.ephemeral())
                        .as("ephemeral and still there: " + row)
                        .isFalse();
                assertThat(row.latestRun().map(RunRecord::status))
                        .as("ended without its run: " + row)
                        .isNotEqualTo(Optional.of(RunStatus.RUNNING));
            }
        }
        assertThat(names(root.resolve("state/sandboxes")))
                .as("directories of sandboxes")
                .isSubsetOf(rows.stream().map(SandboxRecord::directory).toList());
        assertThat(names(root.resolve("state/vms")))
                .as("directories of VMs")
                .isSubsetOf(rows.stream()
                        .flatMap(row -> runtime.store().runs(row.id()).stream())
                        .map(RunRecord::vm)
                        .map(VmId::value)
                        .toList());
        assertThat(count(runtime, "image_pin")).as("pins").isLessThanOrEqualTo(rows.size());
    }

    private static void assertAnswers(Path root, KillRuntime runtime, SandboxRecord row) throws IOException {
        if (row.status() == SandboxStatus.PAUSED) {
            try (Vm vm = runtime.vms().adopt(SandboxTerminator.vmOf(row), KillScenario.soon())) {
                assertThat(vm.state()).as("recorded as paused: " + row).isEqualTo(VmState.PAUSED);
            }
            runtime.sandboxes().resume(row.name(), KillScenario.soon());
        }
        try (RunningSandbox sandbox = runtime.sandboxes().connect(row.name(), KillScenario.soon());
                GuestExecution execution = TestHost.exec(sandbox, "true")) {
            assertThat(execution.await(KillScenario.soon()).success()).isTrue();
            assertSecrets(sandbox, root.resolve("state/sandboxes").resolve(row.directory()));
        }
    }

    /** A guest that was to drop its first ones may have done so; those that it was given later it has. */
    private static void assertSecrets(RunningSandbox sandbox, Path directory) throws IOException {
        String has = TestHost.output(TestHost.exec(sandbox, "cat", "/run/secrets/token"));
        List<String> kept = new ArrayList<>();
        new KeptSecrets(directory).read().forEach((_, value) -> kept.add(new String(value, UTF_8)));
        if (kept.contains(KillScenario.NEW_TOKEN)) {
            assertThat(has).isEqualTo(KillScenario.NEW_TOKEN);
        } else {
            kept.add("");
            assertThat(kept).contains(has);
        }
    }

    /** No process holds a lock of it any more, and nothing is left when it is gone. */
    private static void assertRemovable(Path root, KillRuntime runtime, RunningSandbox bystander) throws IOException {
        for (SandboxRecord row : runtime.store().list(SandboxFilter.all())) {
            if (row.id() != bystander.id()) {
                runtime.sandboxes().remove(row.name(), true, KillScenario.soon());
            }
        }
        assertThat(runtime.store().list(SandboxFilter.all()))
                .extracting(SandboxRecord::id)
                .containsExactly(bystander.id());
        assertThat(count(runtime, "run")).as("runs").isEqualTo(1);
        assertThat(count(runtime, "image_pin")).as("pins").isEqualTo(1);
        assertThat(names(root.resolve("state/vms"))).as("VMs").hasSize(1);
        assertThat(names(root.resolve("state/sandboxes")))
                .as("directories of sandboxes")
                .hasSizeLessThanOrEqualTo(1);
    }

    /** No guest has gone on twice from one memory, and no memory is left that no sandbox goes on from. */
    private static void assertNoMemory(Path root, KillRuntime runtime) throws IOException {
        assertThat(count(runtime, "sandbox_snapshot")).as("memories").isZero();
        assertThat(runtime.vms().snapshots()).as("snapshots of VMs").isEmpty();
        assertThat(names(root.resolve("state/memories")))
                .as("memories that were continued twice")
                .noneMatch(name -> name.endsWith(FiledMemories.TWICE));
    }

    private void assertNoSockets(Path root) throws IOException {
        if (world == KillWorld.QEMU) {
            Path sockets = VmLayout.of(root.resolve("state")).runtimeDirectory();
            assertThat(sockets).isEmptyDirectory();
            Files.delete(sockets);
        }
    }

    private static long count(KillRuntime runtime, String table) {
        return runtime.catalog()
                .<Optional<Long>, RuntimeException>read(
                        transaction -> transaction.first(row -> row.getLong(1), "SELECT count(*) FROM " + table))
                .orElseThrow();
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }

    private Path root(String name, KillScenario scenario) throws IOException {
        Path root = setup.freshRoot(name);
        try (KillRuntime runtime = setup.open(root)) {
            scenario.prepare(runtime);
        }
        return root;
    }
}
