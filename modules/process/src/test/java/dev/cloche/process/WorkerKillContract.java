package dev.cloche.process;

import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.ChildJvm;
import dev.cloche.base.Deadline;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers in programs of their own that are killed. */
public abstract class WorkerKillContract {
    private static final int PROCESSES = 5;

    @TempDir
    protected Path directory;

    private final List<java.lang.Process> started = new ArrayList<>();

    /** Over the store that the programs use too. */
    protected abstract ProcessRegistry registry();

    /** Main class and arguments of a program that runs {@link WorkerProgram#work}. */
    protected abstract Class<?> program();

    protected abstract String[] arguments(String owner);

    @AfterEach
    void endPrograms() {
        started.forEach(java.lang.Process::destroyForcibly);
    }

    @Test
    void theWorkOfKilledWorkersIsFinishedByOthersAndNothingAcknowledgedIsLost() throws Exception {
        for (int i = 0; i < PROCESSES; i++) {
            registry().register(registration("p" + i).withRecovery(new RecoveryPolicy.Rerunnable(10)));
        }
        List<Path> outputs = new ArrayList<>();
        java.lang.Process victim = start("w0", outputs);
        for (int round = 1; round <= 2; round++) {
            Path output = outputs.getLast();
            java.lang.Process killed = victim;
            await().until(() ->
                    !killed.isAlive() || Files.readString(output).lines().count() > 10);
            assertThat(killed.isAlive()).as(Files.readString(output)).isTrue();
            killed.destroyForcibly().waitFor();
            victim = start("w" + round, outputs);
        }
        victim.outputWriter().write("end\n");
        victim.outputWriter().flush();
        List<List<Long>> fences = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            assertThat(registry().awaitProcess("p" + i, Deadline.after(Duration.ofMinutes(5))))
                    .isEqualTo(success(WorkerProgram.STEPS));
            List<ProcessEvent> events = registry().eventsAfter("p" + i, 0, 1_000);
            // Each step once, by any owner, and no step of an owner after one of its successor.
            assertThat(events).hasSize(WorkerProgram.STEPS + 1);
            fences.add(events.stream()
                    .limit(WorkerProgram.STEPS)
                    .map(event -> Long.parseLong(event.payload().text()))
                    .toList());
            assertThat(fences.getLast()).isSorted();
        }
        assertThat(fences)
                .as("at least one was taken over")
                .anySatisfy(each -> assertThat(each.getLast()).isGreaterThan(each.getFirst()));
        for (Path output : outputs) {
            Files.readString(output)
                    .lines()
                    .filter(line -> line.startsWith("p"))
                    .forEach(line -> {
                        List<String> words = List.of(line.split(" ", -1));
                        int process = Integer.parseInt(words.get(0).substring(1));
                        int sequence = Integer.parseInt(words.get(1));
                        assertThat(fences.get(process).get(sequence - 1))
                                .as(line)
                                .isEqualTo(Long.parseLong(words.get(2)));
                    });
        }
    }

    private java.lang.Process start(String owner, List<Path> outputs) throws IOException {
        Path output = directory.resolve(owner);
        outputs.add(output);
        List<String> command = ChildJvm.command(program(), arguments(owner));
        java.lang.Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(output.toFile()))
                .start();
        started.add(process);
        return process;
    }
}
