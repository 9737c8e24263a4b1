package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmId;
import dev.cloche.vm.WriteOptions;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A runtime that is there to stay keeps the sandboxes that no other process owns. */
class SandboxSupervisorTest extends OnTestHost {
    private TestHost.Opened keeping;

    @BeforeEach
    void open() {
        keeping = host.runtime();
    }

    @AfterEach
    void close() {
        keeping.close();
    }

    @Test
    void takesOverWhatADeadProcessLeft() {
        host.abandoned(TestHost.named("a"), true);
        keeping.sandboxes().keep();
        awaitAdopted("a");
        assertThat(host.row("a").orElseThrow().latestRun().orElseThrow().owner())
                .isEqualTo(ProcessIdentity.current());
        host.vms.memory.crash(host.vm("a"));
        awaitStatus("a", SandboxStatus.CRASHED);
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.INTERNAL_ERROR);
    }

    @Test
    void leavesOneAliveThatDoesNotAnswerAndTakesItOverWhenItDoes() {
        VmId vm = host.abandoned(TestHost.named("a"), true);
        CountDownLatch silent = new CountDownLatch(1);
        host.vms.beforeNext(ScriptedVms.Step.ADOPT, id -> {
            host.vms.memory.pause(id, TestHost.soon());
            silent.countDown();
            host.vms.memory.connect(id, Deadline.after(Duration.ofMillis(1))).close();
        });
        keeping.sandboxes().keep();
        Awaitility.await().until(() -> silent.getCount() == 0);
        Awaitility.await().until(() -> !host.directory("a").isHeld());
        assertThat(host.vms.memory.get(vm).orElseThrow().state().live()).isTrue();
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.RUNNING);
        host.vms.memory.resume(vm, TestHost.soon());
        // As a sweep finds it, which tells the supervisor to look again.
        host.vms.hindrance(Optional.of(VmHindrance.SILENT));
        sandboxes.maintenance(MaintenanceLimits.defaults()).sweep();
        awaitAdopted("a");
    }

    @Test
    void comesBackToOneWhoseVmADyingProcessStillHas() {
        host.abandoned(TestHost.named("a"), true);
        host.vms.beforeNext(ScriptedVms.Step.ADOPT, id -> {
            throw new VmException.Busy("VM " + id + " belongs to another process", "Wait.");
        });
        keeping.sandboxes().keep();
        awaitAdopted("a");
    }

    @Test
    void takesOverWhatAnotherProcessLetsGoOf() {
        keeping.sandboxes().keep();
        RunningSandbox sandbox = host.start(TestHost.named("a"));
        assertThat(host.directory("a").isHeld()).isTrue();
        sandbox.detach();
        awaitAdopted("a");
        host.startDetached(TestHost.named("b", "sleep", "1000"));
        awaitAdopted("b");
    }

    @Test
    void leavesTheOwnersToThemselves() {
        try (RunningSandbox sandbox = host.start(TestHost.named("a"))) {
            keeping.sandboxes().keep();
            host.abandoned(TestHost.named("b"), true);
            host.abandoned(TestHost.named("c"), false);
            keeping.sandboxes().stop("b", Duration.ZERO, TestHost.soon());
            assertThat(host.row("a").orElseThrow().latestRun().orElseThrow().owner())
                    .isEqualTo(ProcessIdentity.current());
            assertThat(TestHost.exec(sandbox, "true").await(TestHost.soon()).success())
                    .isTrue();
            assertThat(host.row("c").orElseThrow().latestRun().orElseThrow().owner())
                    .isEqualTo(TestHost.DEAD);
        }
    }

    @Test
    void ofTwoOneOwnsASandboxAndTheOtherUsesIt() throws Exception {
        try (TestHost.Opened second = host.runtime()) {
            keeping.sandboxes().keep();
            second.sandboxes().keep();
            host.startDetached(TestHost.named("a", "sleep", "1000"));
            awaitAdopted("a");
            try (RunningSandbox one = keeping.sandboxes().connect("a", TestHost.soon());
                    RunningSandbox other = second.sandboxes().connect("a", TestHost.soon())) {
                assertThat(TestHost.exec(one, "true").await(TestHost.soon()).success())
                        .isTrue();
                assertThat(TestHost.exec(other, "true").await(TestHost.soon()).success())
                        .isTrue();
                try (OutputStream copied =
                        other.writeFile(files -> files.write("/tmp/copied", WriteOptions.REPLACE, TestHost.soon()))) {
                    copied.write(1);
                }
                assertThat(one.withFiles(files -> files.stat("/tmp/copied", true, TestHost.soon()))
                                .size())
                        .isOne();
            }
            second.sandboxes().stop("a", Duration.ofSeconds(5), TestHost.soon());
            assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
        }
    }

    @Test
    void whenOneLetsGoTheNextTakesOverWithoutAnythingElseHappening() {
        try (TestHost.Opened second = host.runtime()) {
            keeping.sandboxes().keep();
            host.startDetached(TestHost.named("a", "sleep", "1000"));
            awaitAdoptions("a", 1);
            second.sandboxes().keep();
            awaitWaiting();
            keeping.sandboxes().close();
            awaitAdoptions("a", 2);
            assertThat(host.directory("a").isHeld()).isTrue();
            host.vms.memory.crash(host.vm("a"));
            awaitStatus("a", SandboxStatus.CRASHED);
        }
    }

    @Test
    void ofWhatItStartedItselfTheNextTakesOverToo() {
        try (TestHost.Opened second = host.runtime()) {
            second.sandboxes().keep();
            keeping.sandboxes().keep();
            keeping.sandboxes()
                    .startDetached(
                            TestHost.named("a", "sleep", "1000"),
                            CommandOptions.none(),
                            PullListener.none(),
                            TestHost.soon());
            awaitWaiting();
            keeping.sandboxes().close();
            awaitAdoptions("a", 1);
            assertThat(host.directory("a").isHeld()).isTrue();
        }
    }

    @Test
    void endsAGuestThatBreaksTheProtocolAndStartsItAgain() {
        keeping.sandboxes().keep();
        SandboxPolicies policies = SandboxPolicies.none().withRestart(RestartPolicy.onFailure());
        host.startDetached(TestHost.named("a", "sleep", "1000").withPolicies(policies));
        awaitAdopted("a");
        host.vms.memory.babble(host.vm("a"), new byte[100]);
        Awaitility.await().until(() -> host.here.store().runs(host.id("a")).size() == 2);
        assertThat(host.here.store().runs(host.id("a")).getLast().termination()).contains(Termination.unresponsive());
    }

    @Test
    void letsGoOfAllWhenItCloses() {
        keeping.sandboxes().keep();
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        awaitAdopted("a");
        keeping.sandboxes().close();
        assertThat(host.directory("a").isHeld()).isFalse();
        assertThat(sandboxes.get("a").status()).isEqualTo(SandboxStatus.RUNNING);
    }

    @Test
    void theIdleTimeOfASandboxWithoutAnOwnerGoesOn() {
        SandboxPolicies policies = SandboxPolicies.none().withIdleTimeout(Duration.ofMillis(50));
        host.startDetached(TestHost.named("a", "sleep", "1000").withPolicies(policies));
        keeping.sandboxes().keep();
        awaitStatus("a", SandboxStatus.STOPPED);
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.IDLE_TIMEOUT);
    }

    @Test
    void startsAgainWhatFailedAsOftenAsItsPolicySays() {
        keeping.sandboxes().keep();
        SandboxPolicies policies = SandboxPolicies.none().withRestart(RestartPolicy.onFailure(2));
        host.startDetached(TestHost.named("a", "sh", "-c", "exit 4").withPolicies(policies));
        Awaitility.await()
                .until(() -> host.here.store().runs(host.id("a")).size() == 3
                        && host.row("a").orElseThrow().status().terminal());
        assertThat(host.row("a").orElseThrow().restarts()).isEqualTo(2);
        assertThat(host.here.store().runs(host.id("a")))
                .allSatisfy(run ->
                        assertThat(run.termination().orElseThrow().exitCode()).hasValue(4));
    }

    @Test
    void endsAStartWhoseProcessDiedInTheMiddleAndStartsItAgain() {
        SandboxPolicies policies = SandboxPolicies.none().withRestart(RestartPolicy.always());
        host.startDetached(TestHost.named("a", "sleep", "1000").withPolicies(policies));
        host.here.catalog().write(transaction -> transaction.update("UPDATE sandbox SET status = 'STARTING'"));
        keeping.sandboxes().keep();
        Awaitility.await().until(() -> host.here.store().runs(host.id("a")).size() == 2);
        awaitStatus("a", SandboxStatus.RUNNING);
        assertThat(host.here.store().runs(host.id("a")).getLast().termination()).contains(Termination.abandonedStart());
    }

    @Test
    void startsAgainWhatEndedWhileItHadNoSupervisor() {
        SandboxPolicies policies = SandboxPolicies.none().withRestart(RestartPolicy.always());
        host.startDetached(TestHost.named("a", "sleep", "1000").withPolicies(policies));
        host.vms.memory.crash(host.vm("a"));
        keeping.sandboxes().keep();
        Awaitility.await().until(() -> host.here.store().runs(host.id("a")).size() == 2);
        awaitStatus("a", SandboxStatus.RUNNING);
    }

    @Test
    void doesNotStartAgainWhatWasStopped() {
        keeping.sandboxes().keep();
        SandboxPolicies policies = SandboxPolicies.none().withRestart(RestartPolicy.always());
        host.startDetached(TestHost.named("a", "sleep", "1000").withPolicies(policies));
        awaitAdopted("a");
        keeping.sandboxes().stop("a", Duration.ofSeconds(5), TestHost.soon());
        // Another that fails meanwhile is started again: by then this one would have been, too.
        host.startDetached(TestHost.named("b", "false").withPolicies(policies));
        Awaitility.await().until(() -> host.here.store().runs(host.id("b")).size() >= 2);
        assertThat(host.here.store().runs(host.id("a"))).hasSize(1);
    }

    @Test
    void aStopOfWhatIsAboutToBeStartedAgainPreventsIt() {
        SandboxPolicies policies = SandboxPolicies.none().withRestart(RestartPolicy.always());
        host.startDetached(TestHost.named("a", "false").withPolicies(policies));
        host.awaitEnd("a");
        sandboxes.stop("a", Duration.ZERO, TestHost.soon());
        keeping.sandboxes().keep();
        // Another that failed is started again: by then this one would have been, too.
        host.startDetached(TestHost.named("b", "false").withPolicies(policies));
        Awaitility.await().until(() -> host.here.store().runs(host.id("b")).size() >= 3);
        assertThat(host.here.store().runs(host.id("a"))).hasSize(1);
    }

    private void awaitAdopted(String name) {
        Awaitility.await()
                .until(() -> host.row(name).orElseThrow().status() == SandboxStatus.RUNNING
                        && host.directory(name).isHeld()
                        && host.here.store().eventsAfter(0).stream()
                                .anyMatch(event -> event.kind() == SandboxEvent.Kind.ADOPTED
                                        && event.name().equals(name)));
    }

    /** Waits until a thread waits for a lock. */
    private static void awaitWaiting() {
        Awaitility.await()
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .anyMatch(thread -> thread.getName().equals("cloche-lock")));
    }

    private void awaitAdoptions(String name, long count) {
        Awaitility.await()
                .until(() -> host.here.store().eventsAfter(0).stream()
                                .filter(event -> event.kind() == SandboxEvent.Kind.ADOPTED)
                                .filter(event -> event.name().equals(name))
                                .count()
                        == count);
    }

    private void awaitStatus(String name, SandboxStatus status) {
        Awaitility.await().until(() -> host.row(name).orElseThrow().status() == status);
    }
}
