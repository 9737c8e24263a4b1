package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.directory.EndHold;
import dev.cloche.sandbox.directory.EndPlan;
import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.VmException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Ends of sandboxes whose process has died or given up in between, and that sweeps of others go on with. */
class UnfinishedEndTest extends OnTestHost {
    private static final MaintenanceLimits AT_ONCE = MaintenanceLimits.defaults()
            .withLease(Duration.ofMinutes(2))
            .withBudget(Duration.ofMinutes(1))
            .withWindow(Duration.ZERO);

    @Test
    void aDrainThatWasGivenUpWaitsOnForTheCommandsAndEnds() throws Exception {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        try (RunningSandbox connection = sandboxes.connect("a", TestHost.soon())) {
            GuestExecution running = TestHost.exec(connection, "sleep", "1000");
            interruptedDrain(TestHost.soon());
            sweep();
            sweep();
            assertThat(status()).isEqualTo(SandboxStatus.DRAINING);
            running.signal(15, TestHost.soon());
            running.await(TestHost.soon());
        }
        awaitEnd(TerminationReason.DRAIN_REQUESTED);
    }

    @Test
    void aDrainThatWasGivenUpStopsWhenItsTimeIsOver() throws Exception {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        try (RunningSandbox connection = sandboxes.connect("a", TestHost.soon());
                GuestExecution _ = TestHost.exec(connection, "sleep", "1000")) {
            interruptedDrain(TestHost.soon());
            EndHold.take(host.directory("a"), new EndPlan(EndPlan.Phase.DRAIN, System.nanoTime(), TestHost.GRACE))
                    .close();
            sweep();
            awaitEnd(TerminationReason.DRAIN_REQUESTED);
        }
    }

    @Test
    void aDrainThatALivingProcessHasInHandIsLeftToIt() throws Exception {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        try (RunningSandbox connection = sandboxes.connect("a", TestHost.soon());
                GuestExecution running = TestHost.exec(connection, "sleep", "1000");
                TestHost.Opened other = host.runtime();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> drain = threads.submit(() -> other.sandboxes().drain("a", TestHost.soon(), TestHost.GRACE));
            awaitRefusal();
            assertThat(sandboxes.maintenance(AT_ONCE).preview()).isEmpty();
            sweep();
            assertThat(status()).isEqualTo(SandboxStatus.DRAINING);
            running.signal(15, TestHost.soon());
            running.await(TestHost.soon());
            drain.get();
        }
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.DRAIN_REQUESTED);
    }

    @Test
    void anInterruptedStopIsGoneOnWithAlsoWhileTheOwnerLives() {
        try (RunningSandbox _ = host.start(TestHost.named("a"));
                TestHost.Opened other = host.runtime()) {
            host.vms.beforeNext(
                    ScriptedVms.Step.CONNECT, _ -> Thread.currentThread().interrupt());
            assertThatThrownBy(() -> other.sandboxes().stop("a", TestHost.GRACE, TestHost.soon()))
                    .isInstanceOf(VmException.Interrupted.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(status()).isEqualTo(SandboxStatus.DRAINING);
            sweep();
            awaitEnd(TerminationReason.SHUTDOWN_REQUESTED);
        }
    }

    @Test
    void anEndOfWhichThereIsNoMoreThanTheRecordIsBroughtAbout() {
        long id = host.startDetached(TestHost.named("a", "sleep", "1000")).id();
        host.here.store().ask(id, TerminationReason.SIGNAL, SandboxTerminator.ENDABLE);
        assertThat(sandboxes.maintenance(AT_ONCE).preview())
                .extracting(MaintenanceStep::action)
                .containsExactly(MaintenanceStep.Action.END);
        sweep();
        awaitEnd(TerminationReason.SIGNAL);
    }

    @Test
    void oneThatWasPausedWhenItsDrainDiedIsResumedAndEndsInOrder() {
        long id = host.startDetached(TestHost.named("a", "sleep", "1000")).id();
        sandboxes.pause("a", TestHost.soon());
        host.here.store().ask(id, TerminationReason.DRAIN_REQUESTED, SandboxTerminator.ENDABLE);
        sweep();
        awaitEnd(TerminationReason.DRAIN_REQUESTED);
        assertThat(host.termination("a").killed()).isFalse();
    }

    @Test
    void theNextRunKnowsNothingOfTheEndOfTheLast() {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        sandboxes.drain("a", TestHost.soon(), TestHost.GRACE);
        host.startAgain("a");
        assertThat(EndHold.plan(host.directory("a"))).isEqualTo(EndPlan.UNKNOWN);
        sandboxes.kill("a", TestHost.soon());
    }

    private void interruptedDrain(Deadline finish) throws Exception {
        try (TestHost.Opened other = host.runtime()) {
            Thread drain = Thread.ofVirtual().start(() -> {
                try {
                    other.sandboxes().drain("a", finish, TestHost.GRACE);
                } catch (SandboxException.Interrupted asIsTested) {
                    // It leaves a sandbox that is draining.
                }
            });
            awaitRefusal();
            drain.interrupt();
            drain.join();
        }
    }

    private void awaitRefusal() {
        Path mark = host.directory("a").path().resolve("draining");
        Awaitility.await().until(() -> Files.exists(mark));
    }

    private void sweep() {
        assertThat(sandboxes.maintenance(AT_ONCE).sweep().outcome()).isEqualTo(MaintenanceReport.Outcome.SWEPT);
    }

    private SandboxStatus status() {
        return host.row("a").orElseThrow().status();
    }

    private void awaitEnd(TerminationReason reason) {
        Awaitility.await().until(() -> status().terminal());
        assertThat(host.termination("a").reason()).isEqualTo(reason);
    }
}
