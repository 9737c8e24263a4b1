package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.DurableFiles;
import dev.cloche.machine.config.MachineDirectoryRemoval;
import dev.cloche.machine.lifecycle.MemorySnapshotNames;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.testing.KillableProgram;
import dev.cloche.vm.testing.PlayedProgram;
import java.io.IOException;
import java.nio.file.Files;
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

/**
 * Kills processes that play a scenario with machines, each at another step and in a state root of its own, where there is also a
 * machine of another process. After each kill another runtime recovers; then nothing may be left that belongs to no machine.
 */
final class KillHarness {
    private static final MachineName BYSTANDER = new MachineName("bystander");

    private final Path directory;
    private final boolean real;
    private final Path template;
    private final KillableProgram program;

    /** @param real whether VMs are, which outlive their process */
    KillHarness(Path directory, boolean real) throws IOException, InterruptedException {
        this.directory = directory;
        this.real = real;
        program = KillableProgram.write(
                directory, KillVictim.class, List.of("-Dcloche.share=" + KillRuntime.share()), List.of());
        template = Files.createDirectory(directory.resolve("template"));
        // The image is made ready to boot once; how that survives kills is its room's to show.
        try (KillRuntime runtime = KillRuntime.open(template, real)) {
            KillScenario.create(runtime, BYSTANDER);
            runtime.machines().remove(BYSTANDER, true, KillScenario.soon());
        }
        Path home = root("archive");
        program.archive(output(home), arguments(home, KillScenario.MADE));
    }

    /** @param stride 1 to kill at each step, 10 to kill at each tenth */
    void killAtSteps(KillScenario scenario, int stride) throws Exception {
        Path home = root(scenario + "-whole");
        int steps = program.rehearse(output(home), arguments(home, scenario));
        assertThat(steps).isGreaterThan(100);
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
        Path home = root(scenario + "-" + step);
        try (KillRuntime other = KillRuntime.open(home, real)) {
            KillScenario.create(other, BYSTANDER);
            PlayedProgram played = program.killAt(step, output(home), arguments(home, scenario));
            // Threads of a scenario take turns as they like, so that now and then it has a step less.
            assertThat(played.killed() || played.exitCode() == 0)
                    .as(played.output())
                    .isTrue();
            try {
                other.machines().recover(KillScenario.soon());
                assertWhole(other);
                assertRemovable(other);
            } catch (AssertionError | RuntimeException e) {
                return Optional.of(scenario + ", " + played.lastLine() + ": " + e);
            }
        }
        MachineDirectoryRemoval.delete(home);
        return Optional.empty();
    }

    /** What there is belongs to a machine, and every machine can be used. */
    private void assertWhole(KillRuntime runtime) throws IOException {
        MachineManager machines = runtime.machines();
        List<MachineEntry> entries = runtime.store().loadAll();
        assertThat(entries)
                .filteredOn(BrokenMachine.class::isInstance)
                // The copy of the scenario has no name of its own before it is adopted.
                .allMatch(broken -> broken.name().equals("three"));
        List<PersistedMachine> all = entries.stream()
                .filter(MachineEntry.Usable.class::isInstance)
                .map(entry -> ((MachineEntry.Usable) entry).machine())
                .toList();
        List<String> ids = all.stream().map(machine -> machine.vmId().value()).toList();
        assertThat(all).extracting(machine -> machine.name().value()).contains("bystander");
        assertThat(machines.orphans()).isEmpty();
        // A removal that was cut short leaves a machine without one: its directory goes last.
        assertThat(runtime.pins()).as("pins").isSubsetOf(ids);
        assertThat(names(runtime.base().resolve(".owners"))).as("records").containsExactlyInAnyOrderElementsOf(ids);
        assertThat(names(runtime.base().resolve(".locks"))).as("locks").isSubsetOf(ids);
        assertThat(names(runtime.base()))
                .as("unfinished directories")
                .noneMatch(name -> name.startsWith(".making-") || name.startsWith(".removed-"));
        assertThat(runtime.vms().list())
                .as("VMs")
                .allMatch(vm -> ids.contains(vm.id().value()));
        runtime.vms()
                .snapshots()
                .forEach(memory -> assertThat(all)
                        .as("whose is " + memory.name())
                        .anyMatch(machine -> isNeeded(runtime, machine, memory.name())));
    }

    private static boolean isNeeded(KillRuntime runtime, PersistedMachine machine, SnapshotName memory) {
        if (MemorySnapshotNames.isSuspension(machine.vmId(), memory)) {
            return machine.status().state() == DiskState.SUSPENDED;
        }
        return MemorySnapshotNames.keptFor(machine.vmId(), memory)
                .map(snapshot -> runtime.base().resolve(machine.name().value()).resolve("snapshots/" + snapshot))
                .filter(Files::isDirectory)
                .isPresent();
    }

    /** No lock of it is held any more, and nothing is left when all are gone. */
    private static void assertRemovable(KillRuntime runtime) throws IOException {
        MachineManager machines = runtime.machines();
        for (String name : runtime.store().list()) {
            machines.remove(new MachineName(name), true, KillScenario.soon());
        }
        assertThat(runtime.store().list()).isEmpty();
        assertThat(runtime.pins()).as("pins").isEmpty();
        assertThat(runtime.vms().list()).as("VMs").isEmpty();
        assertThat(runtime.vms().snapshots()).as("memory").isEmpty();
        for (String records : List.of(".owners", ".locks")) {
            assertThat(names(runtime.base().resolve(records))).as(records).isEmpty();
        }
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private Path root(String name) throws IOException {
        Path root = directory.resolve(name);
        try (Stream<Path> files = Files.walk(template)) {
            for (Path file : files.toList()) {
                Path copy = root.resolve(template.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    DurableFiles.ensureDirectory(copy);
                } else {
                    Files.copy(file, copy);
                }
            }
        }
        return root;
    }

    private static Path output(Path home) {
        return home.resolve("output");
    }

    private String[] arguments(Path home, KillScenario scenario) {
        return new String[] {home.toString(), scenario.name(), String.valueOf(real)};
    }
}
