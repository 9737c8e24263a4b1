package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a sandbox when something happens between the record of a pause and the halt of the guest. */
class PauseTest {
    @TempDir
    Path root;

    private TestHost host;
    private SandboxManager sandboxes;

    @BeforeEach
    void start() {
        host = new TestHost(root);
        sandboxes = host.here.sandboxes();
        host.startDetached(TestHost.named("a", "sleep", "1000"));
    }

    @AfterEach
    void close() {
        host.close();
    }

    @Test
    void aGuestIsHaltedOnceThatIsRecorded() {
        host.vms.beforeNext(ScriptedVms.Step.PAUSE, _ -> assertThat(status()).isEqualTo(SandboxStatus.PAUSED));
        sandboxes.pause("a", TestHost.soon());
        assertThat(status()).isEqualTo(SandboxStatus.PAUSED);
    }

    @Test
    void oneThatCannotBeHaltedRunsOn() {
        host.vms.beforeNext(ScriptedVms.Step.PAUSE, _ -> {
            throw new IllegalStateException("the disk is full");
        });
        assertThatThrownBy(() -> sandboxes.pause("a", TestHost.soon())).hasMessage("the disk is full");
        assertThat(status()).isEqualTo(SandboxStatus.RUNNING);
        assertAnswers();
    }

    @Test
    void aResumeInTheMeantimeHasTheLastWord() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            AtomicReference<Future<?>> resumed = new AtomicReference<>();
            host.vms.beforeNext(ScriptedVms.Step.PAUSE, _ -> resumed.set(threads.submit(() -> resumeElsewhere())));
            sandboxes.pause("a", TestHost.soon());
            resumed.get().get();
        }
        assertThat(status()).isEqualTo(SandboxStatus.RUNNING);
        assertAnswers();
    }

    @Test
    void onePausedByAProcessThatDiedBeforeTheHaltIsHaltedByASweep() {
        host.here.store().move(id(), SandboxStatus.RUNNING, SandboxStatus.PAUSED);
        sweep();
        assertHalted();
        sandboxes.resume("a", TestHost.soon());
        assertAnswers();
    }

    @Test
    void oneResumedByAProcessThatDiedBeforeItRecordedThatIsHaltedByASweep() {
        sandboxes.pause("a", TestHost.soon());
        host.vms.memory.resume(host.vm("a"), TestHost.soon());
        sweep();
        assertHalted();
    }

    @Test
    void aSweepThatIsAboutToHaltItDoesNotHaltItAfterAResume() throws Exception {
        sandboxes.pause("a", TestHost.soon());
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            AtomicReference<Future<?>> resumed = new AtomicReference<>();
            host.vms.beforeNext(ScriptedVms.Step.PAUSE, _ -> {
                resumed.set(threads.submit(() -> resumeElsewhere()));
                throw new VictimKilled();
            });
            assertThat(maintenance().sweep().outcome()).isEqualTo(MaintenanceReport.Outcome.FAILED);
            resumed.get().get();
        }
        assertThat(status()).isEqualTo(SandboxStatus.RUNNING);
        assertAnswers();
    }

    @Test
    void whatIsBeingHaltedOrResumedIsLeftAloneByASweep() throws Exception {
        host.here.store().move(id(), SandboxStatus.RUNNING, SandboxStatus.PAUSED);
        try (LockFile _ = host.directory("a").lockPause(TestHost.soon()).orElseThrow()) {
            sweep();
            assertThatThrownBy(() -> sandboxes.resume("a", Deadline.after(Duration.ofMillis(1))))
                    .isInstanceOf(SandboxException.Owned.class);
        }
        sandboxes.resume("a", TestHost.soon());
        assertAnswers();
    }

    @Test
    void sweepsBesidePausesAndResumesLeaveWhatIsRecorded() throws Exception {
        try (TestHost.Opened other = host.runtime();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            AtomicBoolean over = new AtomicBoolean();
            Future<?> sweeps = threads.submit(() -> {
                while (!over.get()) {
                    other.sandboxes().maintenance(LIMITS).sweep();
                }
            });
            for (int i = 0; i < 20; i++) {
                sandboxes.pause("a", TestHost.soon());
                sandboxes.resume("a", TestHost.soon());
            }
            over.set(true);
            sweeps.get();
        }
        assertThat(status()).isEqualTo(SandboxStatus.RUNNING);
        assertAnswers();
    }

    @Test
    void aDrainInTheMeantimeFindsAGuestThatAnswers() {
        host.vms.beforeNext(
                ScriptedVms.Step.PAUSE,
                _ -> assertThat(host.here.store().move(id(), SandboxStatus.PAUSED, SandboxStatus.DRAINING))
                        .isTrue());
        sandboxes.pause("a", TestHost.soon());
        sandboxes.stop("a", Duration.ofSeconds(5), TestHost.soon());
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
    }

    @Test
    void onePausedByAProcessThatDiedBeforeTheHaltIsHaltedByTheNextAndResumed() {
        host.here.store().move(id(), SandboxStatus.RUNNING, SandboxStatus.PAUSED);
        boolean[] halted = new boolean[1];
        host.vms.beforeNext(ScriptedVms.Step.PAUSE, _ -> halted[0] = true);
        sandboxes.pause("a", TestHost.soon());
        assertThat(halted[0]).isTrue();
        sandboxes.resume("a", TestHost.soon());
        assertAnswers();
    }

    private static final MaintenanceLimits LIMITS = MaintenanceLimits.defaults()
            .withLease(Duration.ofMinutes(2))
            .withBudget(Duration.ofMinutes(1))
            .withWindow(Duration.ZERO);

    /** What stands for a SIGKILL: it ends a sweep wherever that is. */
    private static final class VictimKilled extends IllegalStateException {
        private static final long serialVersionUID = 1;
    }

    private void resumeElsewhere() {
        try (TestHost.Opened other = host.runtime()) {
            other.sandboxes().resume("a", TestHost.soon());
        }
    }

    private SandboxMaintenance maintenance() {
        return sandboxes.maintenance(LIMITS);
    }

    private void sweep() {
        assertThat(maintenance().sweep().outcome()).isEqualTo(MaintenanceReport.Outcome.SWEPT);
    }

    /** Its owner has let go of it, so it can be adopted; a handle knows whether its guest is halted. */
    private void assertHalted() {
        try (Vm vm = host.vms.memory.adopt(host.vm("a"), TestHost.soon())) {
            assertThat(vm.state()).isEqualTo(VmState.PAUSED);
        }
    }

    private long id() {
        return host.row("a").orElseThrow().id();
    }

    private SandboxStatus status() {
        return host.row("a").orElseThrow().status();
    }

    private void assertAnswers() {
        try (RunningSandbox connection = sandboxes.connect("a", TestHost.soon());
                GuestExecution execution = TestHost.exec(connection, "true")) {
            assertThat(execution.await(TestHost.soon()).success()).isTrue();
        }
    }
}
