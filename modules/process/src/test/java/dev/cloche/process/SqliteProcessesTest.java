package dev.cloche.process;

import static dev.cloche.process.ContractFixture.note;
import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ChildJvm;
import dev.cloche.base.Deadline;
import dev.cloche.catalog.Catalog;
import dev.cloche.process.sqlite.BootClock;
import dev.cloche.process.store.StoreClock;
import dev.cloche.process.store.StoreTime;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several programs on one file. */
class SqliteProcessesTest {
    @TempDir
    Path root;

    private final List<Process> started = new ArrayList<>();
    private Catalog catalog;
    private ProcessRegistry registry;

    @BeforeEach
    void open() {
        catalog = Catalog.open(root, List.of(SqliteProcessStore.schema()));
        registry = ProcessRegistry.over(SqliteProcessStore.open(catalog, root));
    }

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : started) {
            process.destroyForcibly().waitFor();
        }
        registry.close();
        catalog.close();
    }

    @Test
    void commitsOfOneProgramEndTheWaitsOfAnother() throws Exception {
        registry.register(registration("ping"));
        registry.register(registration("pong"));
        Process echo = start("echo", "echo");
        begin(echo);
        for (int i = 1; i <= 20; i++) {
            registry.append("ping", note(i));
            ProcessEvent answer =
                    registry.awaitEventAfter("pong", "note", i - 1, Deadline.after(Duration.ofMinutes(5)));
            assertThat(answer.payload()).isEqualTo(Json.of(i));
        }
        registry.complete("ping", success(1));
        assertThat(echo.waitFor()).isZero();
    }

    @Test
    void programsThatAppendAtOnceLeaveOneLogWithoutGaps() throws Exception {
        registry.register(registration("log"));
        int each = 160;
        Process one = start("append", "one", Integer.toString(each));
        Process two = start("append", "two", Integer.toString(each));
        begin(one);
        begin(two);
        List<Long> acknowledged = new ArrayList<>();
        for (Process process : List.of(one, two)) {
            lines(process).forEach(line -> acknowledged.add(Long.parseLong(line)));
            assertThat(process.waitFor()).isZero();
        }
        List<Long> dense = LongStream.rangeClosed(1, 2L * each).boxed().toList();
        assertThat(acknowledged).containsExactlyInAnyOrderElementsOf(dense);
        assertThat(registry.eventsAfter("log", 0, 1_000))
                .extracting(ProcessEvent::sequence)
                .isEqualTo(dense);
    }

    @Test
    void whatAProgramAcknowledgedBeforeItWasKilledIsThere() throws Exception {
        registry.register(registration("log"));
        Process program = start("append", "victim", "1000000");
        begin(program);
        List<Long> acknowledged = new ArrayList<>();
        BufferedReader output = program.inputReader();
        while (acknowledged.size() < 200) {
            acknowledged.add(Long.parseLong(output.readLine()));
        }
        program.destroyForcibly().waitFor();
        long last = registry.get("log").orElseThrow().lastSequence();
        assertThat(acknowledged).allMatch(sequence -> sequence <= last);
        registry.append("log", note(0));
        List<Long> kept = new ArrayList<>();
        List<ProcessEvent> page;
        // There is no bound to what it has written by then.
        do {
            page = registry.eventsAfter("log", kept.size(), 10_000);
            page.forEach(event -> kept.add(event.sequence()));
        } while (!page.isEmpty());
        assertThat(kept).isEqualTo(LongStream.rangeClosed(1, last + 1).boxed().toList());
    }

    @Test
    void workersOfDifferentProgramsShareTheWorkWithoutDoingAnyTwice() throws Exception {
        IntStream.range(0, 60).forEach(i -> registry.register(registration("p" + i)));
        Process one = start("work", "one");
        Process two = start("work", "two");
        begin(one);
        begin(two);
        List<String> done = new ArrayList<>();
        done.addAll(lines(one));
        done.addAll(lines(two));
        assertThat(done).hasSize(60).doesNotHaveDuplicates();
        assertThat(registry.listNonTerminal(Optional.empty(), 1)).isEmpty();
    }

    @Test
    void aLeaseOfAnEarlierBootHasExpired() {
        registry.register(registration("p"));
        Lease before = registry.claim("p", "ann", Duration.ofHours(1));
        StoreClock host = BootClock.ofHost(Clock.systemUTC());
        StoreClock afterReboot = () -> new StoreTime(host.now().wall(), "another boot", 5);
        try (ProcessRegistry next = ProcessRegistry.over(SqliteProcessStore.open(catalog, root, afterReboot))) {
            assertThatThrownBy(() -> next.renew(before, Duration.ofHours(1)))
                    .isInstanceOf(ProcessException.LeaseLost.class);
            Claim claim = next.claimNext(
                            new ClaimRequest("bob", Set.of(ProcessInput.TOOL_CALL), 5, Duration.ofHours(1)))
                    .getFirst();
            assertThat(claim.lease().fence()).isEqualTo(before.fence() + 1);
        }
        assertThatThrownBy(() -> registry.append(before, note(1))).isInstanceOf(ProcessException.LeaseLost.class);
    }

    @Test
    void aLeaseThatClaimsToLastLongerThanAnyCanIsOfferedToWorkers() {
        registry.register(registration("p"));
        registry.claim("p", "ann", Duration.ofHours(1));
        catalog.write(transaction -> transaction.update("UPDATE process SET lease_expires = 9000000000000000000"));
        assertThat(registry.claimNext(new ClaimRequest("bob", Set.of(ProcessInput.TOOL_CALL), 5, Duration.ofHours(1))))
                .hasSize(1);
    }

    @Test
    void aBrokenDatabaseIsAnErrorAndNotAnEmptyOne() {
        registry.register(registration("p"));
        catalog.write(transaction -> transaction.update("ALTER TABLE process RENAME TO lost"));
        assertThatThrownBy(() -> registry.get("p")).isInstanceOf(ProcessException.StoreFailed.class);
        assertThatThrownBy(() -> registry.append("p", note(1))).isInstanceOf(ProcessException.StoreFailed.class);
        assertThatThrownBy(() -> registry.eventsAfter("p", 0, 1)).isInstanceOf(ProcessException.StoreFailed.class);
        catalog.write(transaction -> transaction.update("ALTER TABLE lost RENAME TO process"));
        assertThat(registry.append("p", note(1)).event().sequence()).isEqualTo(1);
    }

    private static void begin(Process process) throws IOException {
        assertThat(process.inputReader().readLine()).isEqualTo("ready");
        process.outputWriter().write("go\n");
        process.outputWriter().flush();
    }

    private static List<String> lines(Process process) {
        return process.inputReader().lines().toList();
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = ChildJvm.command(RegistryProgram.class, root.toString());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(root.resolve("errors.txt").toFile())
                .start();
        started.add(process);
        return process;
    }
}
