package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.VmId;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** How a sandbox ends whose owner lives. */
class SandboxEndTest extends BesideAnotherRuntime {
    @Test
    void theMainCommandsExitCodeIsTheReason() {
        RunningSandbox sandbox = host.start(TestHost.named("a", "sh", "-c", "exit 7"));
        ExitStatus status =
                sandbox.execMain(CommandOptions.none(), TestHost.soon()).await(TestHost.soon());
        sandbox.finish(status);
        sandbox.close();
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.STOPPED);
        assertThat(host.termination("a")).isEqualTo(Termination.ofMain(new ExitStatus.Exited(7), false));
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.FAILED);
    }

    @Test
    void theMainCommandsSignalIsTheReason() {
        RunningSandbox sandbox = host.start(TestHost.named("a", "sleep", "1000"));
        GuestExecution main = sandbox.execMain(CommandOptions.none(), TestHost.soon());
        main.signal(15, TestHost.soon());
        sandbox.finish(main.await(TestHost.soon()));
        assertThat(host.termination("a").exitSignal()).hasValue(15);
        assertThat(host.termination("a").exitCode()).isEmpty();
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.FAILED);
    }

    @Test
    void aGuestThatBreaksTheProtocolIsEndedByItsOwner() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        host.vms.memory.babble(sandbox.vm(), new byte[100]);
        Awaitility.await().until(() -> host.row("a").orElseThrow().status() == SandboxStatus.CRASHED);
        assertThat(host.termination("a")).isEqualTo(Termination.unresponsive());
        assertThatThrownBy(() -> TestHost.exec(sandbox, "true")).isInstanceOf(SandboxException.Ended.class);
    }

    @Test
    void oneThatBreaksTheProtocolWhileItIsStoppedHasStopped() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        VmId id = sandbox.vm();
        host.vms.before(ScriptedVms.Step.CONNECT, _ -> host.vms.memory.babble(id, new byte[100]));
        other.sandboxes().stop("a", TestHost.GRACE, TestHost.soon());
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.STOPPED);
    }

    @Test
    void aDetachedMainCommandEndsItsSandbox() {
        host.startDetached(TestHost.named("a", "sh", "-c", "exit 9"));
        Awaitility.await()
                .untilAsserted(
                        () -> assertThat(other.sandboxes().get("a").status()).isEqualTo(SandboxStatus.STOPPED));
        assertThat(host.termination("a").exitCode()).hasValue(9);
    }

    @Test
    void closingTellsWaitingCommandsThatTheOwnerClosedIt() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        GuestExecution waiting = TestHost.exec(sandbox, "sleep", "1000");
        sandbox.close();
        assertThatThrownBy(() -> await(sandbox, waiting)).satisfies(e -> ended(e, Termination.closed()));
        assertThatThrownBy(() -> TestHost.exec(sandbox, "true")).satisfies(e -> ended(e, Termination.closed()));
        sandbox.stop(TestHost.GRACE, TestHost.soon());
        sandbox.close();
        assertThat(host.termination("a")).isEqualTo(Termination.closed());
    }

    @Test
    void anInterruptedOwnerClosesAllTheSame() {
        RunningSandbox kept = host.start(TestHost.named("kept"));
        RunningSandbox gone = host.start(TestHost.ephemeral("gone"));
        Thread.currentThread().interrupt();
        kept.close();
        gone.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(host.termination("kept")).isEqualTo(Termination.closed());
        sandboxes.remove("kept", false, TestHost.soon());
        host.assertNothingLeft();
    }

    @Test
    void aVmThatDiesTellsWhoWaitsForACommand() {
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        GuestExecution waiting = TestHost.exec(sandbox, "sleep", "1000");
        host.vms.memory.crash(host.vm("a"));
        assertThatThrownBy(() -> await(sandbox, waiting)).isInstanceOfSatisfying(SandboxException.Ended.class, e -> {
            assertThat(e.code()).isEqualTo("sandbox.ended.internal-error");
            assertThat(e.termination().detail()).isEqualTo("The VM ended without a word from its guest.");
            assertThat(e).hasMessageContaining("\"a\" has ended");
        });
        assertThatThrownBy(() -> TestHost.exec(sandbox, "true")).isInstanceOf(SandboxException.Ended.class);
        Awaitility.await().until(() -> host.row("a").orElseThrow().status() == SandboxStatus.CRASHED);
        sandbox.close();
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.INTERNAL_ERROR);
    }

    @Test
    void anEphemeralVmThatDiesIsCleanedByItsOwnerAtOnce() {
        RunningSandbox sandbox = host.start(TestHost.ephemeral("a"));
        host.vms.memory.crash(host.vm("a"));
        Awaitility.await()
                .until(() -> host.here.store().list(SandboxFilter.all()).isEmpty());
        host.assertNothingLeft();
        sandbox.close();
    }

    @Test
    void closingRightAfterTheVmDiedTellsTheTruth() {
        for (int i = 0; i < 10; i++) {
            RunningSandbox sandbox = host.start(TestHost.named("a"));
            host.vms.memory.crash(host.vm("a"));
            sandbox.close();
            assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.INTERNAL_ERROR);
            other.sandboxes().remove("a", false, TestHost.soon());
        }
        host.assertNothingLeft();
    }

    @Test
    void aSandboxWhoseFilesResistStaysVisibleAndIsTriedAgain() {
        RunningSandbox sandbox = host.start(TestHost.ephemeral("a"));
        // Before its end, which is watched for.
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

    private static void ended(Throwable thrown, Termination how) {
        assertThat(thrown)
                .isInstanceOfSatisfying(
                        SandboxException.Ended.class,
                        e -> assertThat(e.termination()).isEqualTo(how));
    }
}
