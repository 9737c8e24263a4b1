package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.ExitStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a command when its caller goes away, in a real VM. */
@Timeout(1200)
class ExecutionEndIT {
    /** Says that it runs, and ends with 7 when it is asked to. */
    private static final String POLITE = "trap 'echo asked; exit 7' TERM; echo up; while :; do sleep 0.1; done";

    /** Says that it runs, and hears nothing else than SIGKILL. */
    private static final String DEAF = "trap '' TERM INT HUP; echo up; while :; do sleep 0.1; done";

    /** Of one that did not end within its grace, on a host that is busy. */
    private static final ExitStatus LATE = new ExitStatus.Signalled(9);

    @TempDir
    static Path home;

    static Cloche cloche;
    static Sandbox box;

    @BeforeAll
    static void open() {
        Path share = InstalledShare.require();
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
        box = cloche.sandbox("base").name("box").memoryMib(256).start();
    }

    @AfterAll
    static void close() {
        if (cloche != null) {
            box.close();
            cloche.close();
        }
    }

    @Test
    void closingEndsACommandThatRunsWhetherItListensOrNot() throws IOException {
        Execution polite = started(POLITE);
        assertThat(running(polite)).isTrue();
        polite.close();
        await().until(() -> !running(polite));
        assertThat(polite.await()).isIn(new ExitStatus.Exited(7), LATE);
        Execution deaf = started(DEAF);
        deaf.close();
        await().until(() -> !running(deaf));
        assertThat(deaf.await()).isEqualTo(new ExitStatus.Signalled(9));
    }

    @Test
    void closingEndsACommandWhoseOutputNobodyReads() {
        Execution flooding = box.command("yes").start();
        flooding.close();
        await().until(() -> !running(flooding));
        assertThat(flooding.await()).isIn(new ExitStatus.Signalled(15), LATE);
    }

    @Test
    void aWaitThatIsInterruptedEndsTheCommandAndKeepsTheInterrupt() throws Exception {
        for (String script : new String[] {POLITE, DEAF}) {
            Execution execution = started(script);
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Thread waiting = Thread.ofPlatform().start(() -> {
                try {
                    execution.await();
                } catch (ClocheException interrupted) {
                    thrown.set(Thread.currentThread().isInterrupted() ? interrupted : new AssertionError("no flag"));
                }
            });
            await().until(() ->
                    waiting.getState() == Thread.State.TIMED_WAITING || waiting.getState() == Thread.State.WAITING);
            waiting.interrupt();
            waiting.join();
            assertThat(thrown.get())
                    .isInstanceOfSatisfying(
                            ClocheException.class,
                            interrupted -> assertThat(interrupted.code()).isEqualTo("vm.interrupted"));
            assertThat(running(execution)).isFalse();
            execution.close();
        }
    }

    @Test
    void aCollectingRunThatIsInterruptedLeavesNothingRunning() throws Exception {
        Path marker = Path.of("/tmp/interrupted-run");
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<ExecResult> run = threads.submit(() -> box.command("sh", "-c", "echo $$ > " + marker + "; " + POLITE)
                    .run());
            await().until(() -> box.exec("test", "-s", marker.toString()).exitCode() == 0);
            run.cancel(true);
        }
        String pid = box.exec("cat", marker.toString()).stdoutText().strip();
        assertThat(box.exec("test", "-e", "/proc/" + pid).exitCode()).isEqualTo(1);
    }

    @Test
    void oneThatHasEndedIsNotDisturbedByItsClose() throws IOException {
        try (Execution awaited = box.command("sh", "-c", "exit 3").start()) {
            assertThat(awaited.await()).isEqualTo(new ExitStatus.Exited(3));
        }
        Execution unawaited = box.command("sh", "-c", "echo out; exit 4").start();
        assertThat(new String(unawaited.stdout().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("out\n");
        unawaited.close();
        unawaited.close();
        assertThat(unawaited.await()).isEqualTo(new ExitStatus.Exited(4));
        assertThat(box.executions()).noneMatch(known -> known.id() == unawaited.id());
    }

    @Test
    void oneThatTookTooLongIsGoneWhenItsHandleIsClosed() throws IOException {
        Execution slow =
                box.command("sh", "-c", DEAF).timeout(Duration.ofSeconds(10)).start();
        try (slow) {
            firstLine(slow);
            assertThatThrownBy(slow::await).isInstanceOf(CommandException.TimedOut.class);
        }
        assertThat(running(slow)).isFalse();
        assertThat(slow.await()).isEqualTo(new ExitStatus.Signalled(9));
    }

    @Test
    void oneThatIsLeftRunningRunsOnAndIsFoundAgain() throws Exception {
        Execution left = started(DEAF).leaveRunning();
        int interrupted = left.id();
        Thread waiting =
                Thread.ofPlatform().start(() -> assertThatThrownBy(left::await).isInstanceOf(ClocheException.class));
        await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        waiting.interrupt();
        waiting.join();
        assertThat(running(left)).isTrue();
        left.close();
        assertThat(running(left)).isTrue();
        try (Execution again = box.attach(interrupted, 0, 0)) {
            assertThat(firstLine(again)).isEqualTo("up");
        }
        // A caller that attaches is a reader of what was to run on.
        assertThat(running(left)).isTrue();
        try (Execution last = box.attach(interrupted, 3, 0)) {
            last.signal(9);
            assertThat(last.await()).isEqualTo(new ExitStatus.Signalled(9));
        }
    }

    @Test
    void oneWhoseOutputIsToBeAcknowledgedOutlivesItsHandle() throws IOException {
        Execution kept = box.command("sh", "-c", DEAF).acknowledged(true).start();
        kept.close();
        assertThat(running(kept)).isTrue();
        try (Execution last = box.attach(kept.id(), 0, 0)) {
            last.signal(9);
            assertThat(last.await()).isEqualTo(new ExitStatus.Signalled(9));
        }
        box.release(kept.id());
    }

    /** Its guest hears of it when it is resumed. */
    @Test
    void aCommandOfAPausedSandboxIsEndedWhenThatGoesOn() throws IOException {
        Execution deaf = started(DEAF);
        cloche.sandboxes().pause("box");
        try {
            deaf.close();
        } finally {
            cloche.sandboxes().resume("box");
        }
        await().until(() -> !running(deaf));
    }

    @Test
    void closingAConnectionClosesItsExecutionsFirst() throws IOException {
        Execution others = started(DEAF);
        Execution polite;
        Execution deaf;
        Execution left;
        Execution kept;
        try (Sandbox connection = cloche.connect("box")) {
            polite = started(connection, POLITE);
            deaf = started(connection, DEAF);
            left = started(connection, DEAF).leaveRunning();
            kept = connection.command("sh", "-c", DEAF).acknowledged(true).start();
        }
        await().until(() -> !running(polite) && !running(deaf));
        assertThat(running(left)).isTrue();
        assertThat(running(kept)).isTrue();
        assertThat(running(others)).isTrue();
        others.close();
        for (int id : new int[] {left.id(), kept.id()}) {
            try (Execution last = box.attach(id, 0, 0)) {
                last.signal(9);
                assertThat(last.await()).isEqualTo(new ExitStatus.Signalled(9));
            }
        }
        box.release(kept.id());
    }

    /** Of a handle that was let go of, the guest says what became of its command. */
    private static boolean running(Execution execution) {
        return box.executions().stream()
                .anyMatch(known -> known.id() == execution.id() && known.end().isEmpty());
    }

    private static Execution started(String script) throws IOException {
        return started(box, script);
    }

    private static Execution started(Sandbox sandbox, String script) throws IOException {
        Execution execution = sandbox.command("sh", "-c", script).start();
        assertThat(firstLine(execution)).isEqualTo("up");
        return execution;
    }

    private static String firstLine(Execution execution) throws IOException {
        return new BufferedReader(new InputStreamReader(execution.stdout(), StandardCharsets.UTF_8)).readLine();
    }
}
