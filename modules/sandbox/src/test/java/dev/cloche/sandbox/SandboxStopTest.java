package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.VmException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** How sandboxes are stopped and removed, by their owner and by others. */
class SandboxStopTest extends BesideAnotherRuntime {
    @Test
    void itsOwnerStopsIt() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        sandbox.stop(TestHost.GRACE, TestHost.soon());
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.STOPPED);
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
        assertThat(host.termination("a").detail()).isEqualTo("The guest was shut down.");
        sandbox.close();
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
    }

    @Test
    void anEphemeralSandboxThatItsOwnerStopsIsGone() {
        RunningSandbox sandbox = host.start(TestHost.ephemeral("a"));
        sandbox.stop(TestHost.GRACE, TestHost.soon());
        host.assertNothingLeft();
        sandbox.stop(TestHost.GRACE, TestHost.soon());
        sandbox.close();
    }

    @Test
    void aHandleDoesNotStopTheSandboxThatHasItsNameNow() {
        RunningSandbox first = host.start(TestHost.ephemeral("a"));
        first.close();
        try (RunningSandbox second = host.start(TestHost.ephemeral("a"))) {
            first.stop(TestHost.GRACE, TestHost.soon());
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
        other.sandboxes().stop("a", TestHost.GRACE, TestHost.soon());
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.STOPPED);
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
        assertThatThrownBy(() -> TestHost.exec(sandbox, "true"))
                .isInstanceOfSatisfying(
                        SandboxException.Ended.class,
                        e -> assertThat(e.code()).isEqualTo("sandbox.ended.shutdown-requested"));
        other.sandboxes().stop("a", TestHost.GRACE, TestHost.soon());
        sandbox.close();
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
    }

    @Test
    void anotherRuntimeStopsAnEphemeralOne() {
        RunningSandbox sandbox = host.start(TestHost.ephemeral("a"));
        other.sandboxes().stop("a", TestHost.GRACE, TestHost.soon());
        Awaitility.await()
                .untilAsserted(() -> assertThat(other.sandboxes().list()).isEmpty());
        sandbox.close();
        host.assertNothingLeft();
        assertThatThrownBy(() -> other.sandboxes().stop("a", TestHost.GRACE, TestHost.soon()))
                .isInstanceOf(SandboxException.NotFound.class);
    }

    @Test
    void aStopThatBreaksOffCanBeAskedForAgain() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        IllegalStateException fault = new IllegalStateException("a fault of the program");
        host.vms.beforeNext(ScriptedVms.Step.CONNECT, id -> {
            throw fault;
        });
        assertThatThrownBy(() -> other.sandboxes().stop("a", TestHost.GRACE, TestHost.soon()))
                .isSameAs(fault);
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.DRAINING);
        assertThatThrownBy(() -> other.sandboxes().connect("a", TestHost.soon()))
                .isInstanceOf(SandboxException.NotRunning.class)
                .hasMessageContaining("draining");
        other.sandboxes().stop("a", TestHost.GRACE, TestHost.soon());
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
        sandbox.close();
    }

    @Test
    void aGuestThatDoesNotAnswerInTimeIsKilled() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        GuestExecution waiting = TestHost.exec(sandbox, "sleep", "1000");
        other.sandboxes().stop("a", TestHost.GRACE, Deadline.after(Duration.ZERO));
        assertThat(host.vms.memory.list()).noneMatch(vm -> vm.state().live());
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
        assertThat(host.termination("a").killed()).isTrue();
        assertThat(host.termination("a").detail()).contains("ended on request", "its VM was killed");
        assertThatThrownBy(() -> await(sandbox, waiting)).isInstanceOf(SandboxException.Ended.class);
        sandbox.close();
    }

    @Test
    void aStopRecordsHowTheMainCommandEndedAndThatNothingHadToBeKilled() {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        other.sandboxes().stop("a", TestHost.GRACE, TestHost.soon());
        Termination termination = host.termination("a");
        assertThat(termination.reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
        assertThat(termination.exitSignal()).hasValue(15);
        assertThat(termination.killed()).isFalse();
    }

    @Test
    void aMainCommandIsAskedByTheSignalThatItsSandboxWasGivenAtEveryStart() {
        host.startDetached(TestHost.named("a", "sleep", "1000").withStopSignal(StopSignal.parse("SIGQUIT")));
        other.sandboxes().stop("a", TestHost.GRACE, TestHost.soon());
        assertThat(host.termination("a").exitSignal()).hasValue(3);
        host.startAgain("a");
        sandboxes.drain("a", TestHost.soon(), TestHost.GRACE);
        assertThat(host.termination("a").exitSignal()).hasValue(3);
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.DRAIN_REQUESTED);
    }

    @Test
    void theEndOfAnOwnersMainCommandInAStopIsRecordedInEitherOrder() {
        RunningSandbox sandbox = host.start(TestHost.named("a", "sleep", "1000"));
        GuestExecution main = sandbox.execMain(CommandOptions.none(), TestHost.soon());
        other.sandboxes().stop("a", TestHost.GRACE, TestHost.soon());
        sandbox.finish(main.await(TestHost.soon()));
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
        assertThat(host.termination("a").asked()).isTrue();
        assertThat(host.termination("a").exitSignal()).hasValue(15);
    }

    @Test
    void anInterruptedStopDoesNotKill() {
        try (RunningSandbox sandbox = host.start(TestHost.named("a"))) {
            host.vms.before(
                    ScriptedVms.Step.CONNECT, id -> Thread.currentThread().interrupt());
            assertThatThrownBy(() -> other.sandboxes().stop("a", TestHost.GRACE, TestHost.soon()))
                    .isInstanceOf(VmException.Interrupted.class);
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
                        e -> assertThat(e.termination().reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED));
        sandbox.close();
        assertThatThrownBy(() -> sandboxes.remove("a", true, TestHost.soon()))
                .isInstanceOf(SandboxException.NotFound.class)
                .hasMessageStartingWith("There is no sandbox named \"a\".");
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
}
