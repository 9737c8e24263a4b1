package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.cloche.base.Deadline;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestConnectionLostException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInterruptedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a sandbox ends whose owner lives. */
class SandboxEndTest {
    private static final Duration GRACE = Duration.ofSeconds(5);

    @TempDir
    Path root;

    private TestHost host;
    private TestHost.Opened other;

    @BeforeEach
    void open() {
        host = new TestHost(root);
        other = host.runtime();
    }

    @AfterEach
    void close() {
        try (TestHost closing = host) {
            closing.vms.noMoreScripts();
            other.close();
        }
    }

    @Test
    void theMainCommandsExitCodeIsTheReason() {
        RunningSandbox sandbox = host.start(TestHost.named("a", "sh", "-c", "exit 7"));
        ExitStatus status =
                sandbox.execMain(CommandOptions.none(), TestHost.soon()).await(TestHost.soon());
        sandbox.finish(status);
        sandbox.close();
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.STOPPED);
        assertThat(host.ending("a")).isEqualTo(Ending.ofMain(new ExitStatus.Exited(7), false));
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.FAILED);
    }

    @Test
    void theMainCommandsSignalIsTheReason() {
        RunningSandbox sandbox = host.start(TestHost.named("a", "sleep", "1000"));
        GuestExecution main = sandbox.execMain(CommandOptions.none(), TestHost.soon());
        main.signal(15, TestHost.soon());
        sandbox.finish(main.await(TestHost.soon()));
        assertThat(host.ending("a").exitSignal()).hasValue(15);
        assertThat(host.ending("a").exitCode()).isEmpty();
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.FAILED);
    }

    @Test
    void aGuestThatBreaksTheProtocolIsEndedByItsOwner() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        host.vms.memory.babble(sandbox.vm(), new byte[100]);
        Awaitility.await().until(() -> host.row("a").orElseThrow().status() == SandboxStatus.CRASHED);
        assertThat(host.ending("a")).isEqualTo(Ending.unresponsive());
        assertThatThrownBy(() -> TestHost.exec(sandbox, "true")).isInstanceOf(SandboxException.Ended.class);
    }

    @Test
    void oneThatBreaksTheProtocolWhileItIsStoppedHasStopped() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        VmId id = sandbox.vm();
        host.vms.before(ScriptedVms.Step.CONNECT, _ -> host.vms.memory.babble(id, new byte[100]));
        other.sandboxes().stop("a", GRACE, TestHost.soon());
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.STOPPED);
    }

    @Test
    void aDetachedMainCommandEndsItsSandbox() {
        host.startDetached(TestHost.named("a", "sh", "-c", "exit 9"));
        Awaitility.await()
                .untilAsserted(
                        () -> assertThat(other.sandboxes().get("a").status()).isEqualTo(SandboxStatus.STOPPED));
        assertThat(host.ending("a").exitCode()).hasValue(9);
    }

    @Test
    void closingTellsWaitingCommandsThatTheOwnerClosedIt() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        GuestExecution waiting = TestHost.exec(sandbox, "sleep", "1000");
        sandbox.close();
        assertThatThrownBy(() -> await(sandbox, waiting)).satisfies(e -> ended(e, Ending.closed()));
        assertThatThrownBy(() -> TestHost.exec(sandbox, "true")).satisfies(e -> ended(e, Ending.closed()));
        sandbox.stop(GRACE, TestHost.soon());
        sandbox.close();
        assertThat(host.ending("a")).isEqualTo(Ending.closed());
    }

    @Test
    void anInterruptedOwnerClosesAllTheSame() {
        RunningSandbox kept = host.start(TestHost.named("kept"));
        RunningSandbox gone = host.start(TestHost.ephemeral("gone"));
        Thread.currentThread().interrupt();
        kept.close();
        gone.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(host.ending("kept")).isEqualTo(Ending.closed());
        host.here.sandboxes().remove("kept", false, TestHost.soon());
        host.assertNothingLeft();
    }

    @Test
    void itsOwnerStopsIt() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        sandbox.stop(GRACE, TestHost.soon());
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.STOPPED);
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
        assertThat(host.ending("a").detail()).isEqualTo("The guest was shut down.");
        sandbox.close();
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
    }

    @Test
    void anEphemeralSandboxThatItsOwnerStopsIsGone() {
        RunningSandbox sandbox = host.start(TestHost.ephemeral("a"));
        sandbox.stop(GRACE, TestHost.soon());
        host.assertNothingLeft();
        sandbox.stop(GRACE, TestHost.soon());
        sandbox.close();
    }

    @Test
    void aHandleDoesNotStopWhoeverHasItsNameNow() {
        RunningSandbox first = host.start(TestHost.ephemeral("a"));
        first.close();
        try (RunningSandbox second = host.start(TestHost.ephemeral("a"))) {
            first.stop(GRACE, TestHost.soon());
            first.finish(new ExitStatus.Exited(1));
            first.close();
            assertThat(TestHost.exec(second, "true").await(TestHost.soon()).success())
                    .isTrue();
            assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.RUNNING);
        }
    }

    @Test
    void anotherRuntimeStopsIt() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        other.sandboxes().stop("a", GRACE, TestHost.soon());
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.STOPPED);
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
        assertThatThrownBy(() -> TestHost.exec(sandbox, "true"))
                .isInstanceOfSatisfying(
                        SandboxException.Ended.class,
                        e -> assertThat(e.code()).isEqualTo("sandbox.ended.shutdown-requested"));
        other.sandboxes().stop("a", GRACE, TestHost.soon());
        sandbox.close();
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
    }

    @Test
    void anotherRuntimeStopsAnEphemeralOne() {
        RunningSandbox sandbox = host.start(TestHost.ephemeral("a"));
        other.sandboxes().stop("a", GRACE, TestHost.soon());
        Awaitility.await()
                .untilAsserted(() -> assertThat(other.sandboxes().list()).isEmpty());
        sandbox.close();
        host.assertNothingLeft();
        assertThatThrownBy(() -> other.sandboxes().stop("a", GRACE, TestHost.soon()))
                .isInstanceOf(SandboxException.NotFound.class);
    }

    @Test
    void aStopThatBreaksOffCanBeAskedForAgain() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        IllegalStateException fault = new IllegalStateException("a fault of the program");
        host.vms.beforeNext(ScriptedVms.Step.CONNECT, id -> {
            throw fault;
        });
        assertThatThrownBy(() -> other.sandboxes().stop("a", GRACE, TestHost.soon()))
                .isSameAs(fault);
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.DRAINING);
        assertThatThrownBy(() -> other.sandboxes().connect("a", TestHost.soon()))
                .isInstanceOf(SandboxException.NotRunning.class)
                .hasMessageContaining("draining");
        other.sandboxes().stop("a", GRACE, TestHost.soon());
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
        sandbox.close();
    }

    @Test
    void aGuestThatDoesNotAnswerInTimeIsKilled() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        GuestExecution waiting = TestHost.exec(sandbox, "sleep", "1000");
        other.sandboxes().stop("a", GRACE, Deadline.after(Duration.ZERO));
        assertThat(host.vms.memory.list()).noneMatch(vm -> vm.state().live());
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
        assertThat(host.ending("a").detail()).isEqualTo("The VM was ended on request.");
        assertThatThrownBy(() -> await(sandbox, waiting)).isInstanceOf(SandboxException.Ended.class);
        sandbox.close();
    }

    @Test
    void anInterruptedStopDoesNotKill() {
        try (RunningSandbox sandbox = host.start(TestHost.named("a"))) {
            host.vms.before(
                    ScriptedVms.Step.CONNECT, id -> Thread.currentThread().interrupt());
            assertThatThrownBy(() -> other.sandboxes().stop("a", GRACE, TestHost.soon()))
                    .isInstanceOf(VmInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(TestHost.exec(sandbox, "true").await(TestHost.soon()).success())
                    .isTrue();
        }
    }

    @Test
    void removalNeedsForceWhileItRuns() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        assertThatThrownBy(() -> other.sandboxes().remove("a", false, TestHost.soon()))
                .isInstanceOf(SandboxException.StillRunning.class);
        assertThat(TestHost.exec(sandbox, "true").await(TestHost.soon()).success())
                .isTrue();
        GuestExecution waiting = TestHost.exec(sandbox, "sleep", "1000");
        other.sandboxes().remove("a", true, TestHost.soon());
        host.assertNothingLeft();
        assertThatThrownBy(() -> await(sandbox, waiting))
                .isInstanceOfSatisfying(
                        SandboxException.Ended.class,
                        e -> assertThat(e.ending().reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED));
        sandbox.close();
        assertThatThrownBy(() -> host.here.sandboxes().remove("a", true, TestHost.soon()))
                .isInstanceOf(SandboxException.NotFound.class)
                .hasMessage("There is no sandbox named \"a\".");
    }

    @Test
    void removalWaitsForTheOwnerToLetGo() throws Exception {
        host.start(TestHost.named("a")).close();
        OwnerLock owner = host.lock("a");
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> removal = threads.submit(() -> other.sandboxes().remove("a", true, TestHost.soon()));
            assertThatThrownBy(() -> other.sandboxes().remove("a", true, Deadline.after(Duration.ofMillis(1))))
                    .isInstanceOf(SandboxException.Owned.class);
            assertThat(removal.isDone()).isFalse();
            owner.close();
            removal.get();
        }
        host.assertNothingLeft();
    }

    @Test
    void aVmThatDiesTellsWhoWaitsForACommand() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        GuestExecution waiting = TestHost.exec(sandbox, "sleep", "1000");
        host.vms.memory.crash(host.vm("a"));
        assertThatThrownBy(() -> await(sandbox, waiting)).isInstanceOfSatisfying(SandboxException.Ended.class, e -> {
            assertThat(e.code()).isEqualTo("sandbox.ended.internal-error");
            assertThat(e.ending().detail()).isEqualTo("The VM ended without a word from its guest.");
            assertThat(e).hasMessageContaining("\"a\" has ended");
        });
        assertThatThrownBy(() -> TestHost.exec(sandbox, "true")).isInstanceOf(SandboxException.Ended.class);
        Awaitility.await().until(() -> host.row("a").orElseThrow().status() == SandboxStatus.CRASHED);
        sandbox.close();
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.INTERNAL_ERROR);
    }

    @Test
    void anEphemeralVmThatDiesIsCleanedByItsOwnerAtOnce() {
        RunningSandbox sandbox = host.start(TestHost.ephemeral("a"));
        host.vms.memory.crash(host.vm("a"));
        Awaitility.await().until(() -> host.here.store().all().isEmpty());
        host.assertNothingLeft();
        sandbox.close();
    }

    @Test
    void closingRightAfterTheVmDiedTellsTheTruth() {
        for (int i = 0; i < 10; i++) {
            RunningSandbox sandbox = host.start(TestHost.named("a"));
            host.vms.memory.crash(host.vm("a"));
            sandbox.close();
            assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.INTERNAL_ERROR);
            other.sandboxes().remove("a", false, TestHost.soon());
        }
        host.assertNothingLeft();
    }

    @Test
    void closersAtOnceEndItOnce() throws Exception {
        for (int i = 0; i < 10; i++) {
            RunningSandbox sandbox = host.start(TestHost.ephemeral("a"));
            together(4, number -> {
                sandbox.close();
                assertThat(host.here.store().all()).isEmpty();
            });
        }
        host.assertNothingLeft();
    }

    @Test
    void aCrashAndACloseAtOnce() throws Exception {
        for (int i = 0; i < 20; i++) {
            RunningSandbox sandbox = host.start(TestHost.ephemeral("a"));
            VmId id = host.vm("a");
            together(2, number -> {
                if (number == 0) {
                    var _ = catchThrowable(() -> host.vms.memory.crash(id));
                } else {
                    sandbox.close();
                }
            });
            assertThat(host.here.store().all()).isEmpty();
        }
        host.assertNothingLeft();
    }

    @Test
    void runtimesThatStopRemoveAndListAtOnceEachSucceedOrFindItGone() throws Exception {
        for (int i = 0; i < 20; i++) {
            RunningSandbox sandbox = host.start(i % 2 == 0 ? TestHost.named("a") : TestHost.ephemeral("a"));
            together(
                    5,
                    number -> goneIsFine(() -> {
                        Sandboxes sandboxes = number % 2 == 0 ? host.here.sandboxes() : other.sandboxes();
                        switch (number) {
                            case 0 -> sandbox.close();
                            case 1 -> sandboxes.stop("a", GRACE, TestHost.soon());
                            case 2, 3 -> sandboxes.remove("a", true, TestHost.soon());
                            default -> sandboxes.list();
                        }
                    }));
            assertThat(host.here.store().all()).isEmpty();
            assertThat(host.vms.memory.list()).isEmpty();
        }
        host.assertNothingLeft();
    }

    @Test
    void startsAndForcedRemovalsOfOneNameLeaveNothing() throws Exception {
        together(3, number -> {
            for (int i = 0; i < 15; i++) {
                if (number == 0) {
                    host.start(TestHost.ephemeral("a")).close();
                } else {
                    refusedIsFine(() -> other.sandboxes().remove("a", true, TestHost.soon()));
                }
            }
        });
        host.assertNothingLeft();
    }

    @Test
    void aSandboxWhoseFilesResistStaysVisibleAndIsTriedAgain() {
        RunningSandbox sandbox = host.start(TestHost.ephemeral("a"));
        // Before its end, which somebody watches for.
        host.vms.before(ScriptedVms.Step.DESTROY, id -> {
            throw busy();
        });
        host.vms.memory.crash(host.vm("a"));
        Awaitility.await().until(() -> host.row("a").orElseThrow().status() == SandboxStatus.CRASHED);
        assertThat(other.sandboxes().list()).extracting(SandboxRecord::status).containsExactly(SandboxStatus.CRASHED);
        assertThatCode(() -> other.sandboxes().get("a")).doesNotThrowAnyException();
        host.vms.noMoreScripts();
        Awaitility.await().until(() -> other.sandboxes().list().isEmpty());
        sandbox.close();
        host.assertNothingLeft();
    }

    private static RuntimeException busy() {
        return new SandboxException.StillRunning("held", SandboxStatus.RUNNING);
    }

    private static void ended(Throwable thrown, Ending how) {
        assertThat(thrown)
                .isInstanceOfSatisfying(
                        SandboxException.Ended.class,
                        e -> assertThat(e.ending()).isEqualTo(how));
    }

    /** As the front door waits. */
    private static void await(RunningSandbox sandbox, GuestExecution execution) {
        try {
            var _ = execution.await(TestHost.soon());
        } catch (GuestConnectionLostException lost) {
            throw sandbox.ended(lost);
        }
    }

    private static void goneIsFine(Runnable deed) {
        try {
            deed.run();
        } catch (SandboxException.NotFound gone) {
            // Somebody was faster.
        }
    }

    private static void refusedIsFine(Runnable deed) {
        try {
            deed.run();
        } catch (SandboxException.NotFound | SandboxException.Starting refused) {
            // It is not there yet, or still its starter's.
        }
    }

    interface Part {
        void play(int number) throws Exception;
    }

    private static void together(int parts, Part part) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(parts);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> played = IntStream.range(0, parts)
                    .<Future<?>>mapToObj(number -> threads.submit(() -> {
                        barrier.await();
                        part.play(number);
                        return number;
                    }))
                    .toList();
            for (Future<?> one : played) {
                one.get();
            }
        }
    }
}
