package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.linux.ProcessIdentity;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A runtime finds what others left that died first, at any point of a sandbox's life. */
class AbandonedSandboxTest extends OnTestHost {
    @Test
    void aStartThatGotNoFurtherThanItsRecord() {
        host.abandonedStart(TestHost.named("kept"), false);
        host.abandonedStart(TestHost.ephemeral("gone"), true);
        assertThat(sandboxes.list()).extracting(SandboxRecord::name).containsExactly("kept");
        assertThat(host.row("kept").orElseThrow().status()).isEqualTo(SandboxStatus.CRASHED);
        assertThat(host.termination("kept")).isEqualTo(Termination.vanished());
        sandboxes.remove("kept", false, TestHost.soon());
        host.assertNothingLeft();
    }

    @Test
    void aStartThatHadMadeItsVm() {
        VmId id = host.abandonedStart(TestHost.ephemeral("gone"), false);
        host.vms.memory.create(VmSpec.of(id, RootDisk.raw(Path.of("/none")))).close();
        assertThat(sandboxes.list()).isEmpty();
        host.assertNothingLeft();
    }

    @Test
    void aDetachedSandboxThatLivesIsLeftAloneAndCanBeUsed() throws Exception {
        host.abandoned(TestHost.named("a"), true);
        assertThat(sandboxes.list()).extracting(SandboxRecord::status).containsExactly(SandboxStatus.RUNNING);
        try (RunningSandbox connection = sandboxes.connect("a", TestHost.soon())) {
            assertThat(TestHost.exec(connection, "true").await(TestHost.soon()).success())
                    .isTrue();
            connection.stop(Duration.ofSeconds(5), TestHost.soon());
        }
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
    }

    @Test
    void anAttachedSandboxWhoseVmStillLivesIsItsGuardsToEnd() {
        VmId id = host.abandoned(TestHost.ephemeral("a"), false);
        assertThat(sandboxes.list()).extracting(SandboxRecord::status).containsExactly(SandboxStatus.RUNNING);
        sandboxes.stop("a", Duration.ZERO, TestHost.soon());
        assertThat(host.vms.memory.get(id)).isEmpty();
        host.assertNothingLeft();
    }

    @Test
    void aStartWhoseVmStillLivesCanBeStopped() {
        VmId id = host.abandonedStart(TestHost.named("a"), false);
        try (Vm vm = host.vms.memory.create(VmSpec.of(id, RootDisk.raw(Path.of("/none"))))) {
            vm.start(TestHost.soon());
            vm.detach();
        }
        assertThat(sandboxes.get("a").status()).isEqualTo(SandboxStatus.STARTING);
        sandboxes.stop("a", Duration.ofSeconds(5), TestHost.soon());
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
    }

    @Test
    void aCrashIsRecordedByTheNextProcessThatLooks() {
        host.vms.memory.crash(host.abandoned(TestHost.named("a"), true));
        assertThat(sandboxes.get("a").status()).isEqualTo(SandboxStatus.CRASHED);
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.INTERNAL_ERROR);
        assertThatThrownBy(() -> sandboxes.connect("a", TestHost.soon()))
                .isInstanceOf(SandboxException.NotRunning.class)
                .hasMessageStartingWith("The sandbox \"a\" is not running; it is crashed.");
        sandboxes.stop("a", Duration.ZERO, TestHost.soon());
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.INTERNAL_ERROR);
    }

    @Test
    void aVmThatIsGoneWithoutATrace() {
        VmId id = host.abandoned(TestHost.named("a"), true);
        host.vms.memory.crash(id);
        host.vms.memory.destroy(id);
        assertThat(sandboxes.get("a").status()).isEqualTo(SandboxStatus.CRASHED);
        assertThat(host.termination("a")).isEqualTo(Termination.vanished());
    }

    @Test
    void aStopWhoseEndNoProcessSawHasReachedIt() {
        VmId id = host.abandoned(TestHost.named("a"), true);
        host.here.store().move(host.row("a").orElseThrow().id(), SandboxStatus.RUNNING, SandboxStatus.DRAINING);
        assertThat(sandboxes.get("a").status()).isEqualTo(SandboxStatus.DRAINING);
        host.vms.memory.crash(id);
        host.vms.memory.destroy(id);
        assertThat(sandboxes.get("a").status()).isEqualTo(SandboxStatus.STOPPED);
        assertThat(host.termination("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
    }

    @Test
    void anEndThatWasRecordedButNotCarriedOutIs() {
        VmId kept = host.abandoned(TestHost.named("kept"), false);
        host.abandoned(TestHost.ephemeral("gone"), false);
        host.here
                .store()
                .list(SandboxFilter.all())
                .forEach(record -> host.here.store().end(record.id(), Termination.closed()));
        assertThat(sandboxes.list()).extracting(SandboxRecord::name).containsExactly("kept");
        assertThat(host.vms.memory.list()).extracting(vm -> vm.id()).containsExactly(kept);
        sandboxes.remove("kept", false, TestHost.soon());
        host.assertNothingLeft();
    }

    @Test
    void aRemovalThatGotHalfwayIsFinished() {
        VmId id = host.abandoned(TestHost.ephemeral("a"), true);
        host.vms.memory.crash(id);
        SandboxRecord record = host.row("a").orElseThrow();
        host.here.store().end(record.id(), Termination.closed());
        host.vms.memory.destroy(id);
        host.here.images().release(SandboxContext.holder(record.id(), "a"));
        assertThat(sandboxes.list()).isEmpty();
        host.assertNothingLeft();
    }

    @Test
    void whatALivingOwnerHasIsLeftAlone() {
        host.vms.memory.crash(host.abandoned(TestHost.ephemeral("a"), false));
        try (OwnerLock _ = host.lock("a")) {
            assertThat(sandboxes.list()).extracting(SandboxRecord::status).containsExactly(SandboxStatus.RUNNING);
        }
        // The look's wait for the lock, which it gave up, has that for an instant now.
        Awaitility.await().untilAsserted(() -> assertThat(sandboxes.list()).isEmpty());
        host.assertNothingLeft();
    }

    @Test
    void aPidOfALivingProcessMakesNoOwner() {
        host.vms.memory.crash(host.abandoned(TestHost.ephemeral("a"), false));
        ProcessIdentity me = ProcessIdentity.current();
        host.here
                .catalog()
                .write(transaction -> transaction.update(
                        "UPDATE run SET owner_pid = ?, owner_start_time = ?, owner_boot_id = ?",
                        me.pid(),
                        me.startTime(),
                        me.bootId()));
        assertThat(sandboxes.list()).isEmpty();
        host.assertNothingLeft();
    }

    /**
     * A process that finds the first lock deleted makes the directory anew for its own, and then finds the row gone.
     */
    @Test
    void aRemovalThatAnotherFinishesMeanwhileLeavesNoDirectory() {
        VmId id = host.abandoned(TestHost.ephemeral("a"), true);
        host.vms.memory.crash(id);
        long row = host.id("a");
        host.vms.beforeNext(
                ScriptedVms.Step.GET,
                _ -> host.vms.beforeNext(ScriptedVms.Step.GET, _ -> {
                    host.vms.memory.destroy(id);
                    host.here.images().release(SandboxContext.holder(row, "a"));
                    host.sql("DELETE FROM sandbox");
                }));
        assertThat(sandboxes.list()).isEmpty();
        host.assertNothingLeft();
    }

    @Test
    void runtimesThatLookAtOnceCleanOnce() throws Exception {
        AtomicInteger destroyed = new AtomicInteger();
        try (TestHost.Opened other = host.runtime();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 0; round < 5; round++) {
                for (String name : List.of("a", "b", "c")) {
                    host.vms.memory.crash(host.abandoned(TestHost.ephemeral(name), true));
                }
                host.vms.before(ScriptedVms.Step.DESTROY, id -> destroyed.incrementAndGet());
                List<Callable<List<SandboxRecord>>> looks = Stream.of(sandboxes, other.sandboxes(), sandboxes)
                        .<Callable<List<SandboxRecord>>>map(each -> each::list)
                        .toList();
                for (Future<List<SandboxRecord>> look : threads.invokeAll(looks)) {
                    // On a slow machine it may show what another has been removing for longer than a look waits.
                    assertThat(look.get()).hasSizeLessThanOrEqualTo(3);
                }
                host.assertNothingLeft();
            }
        }
        assertThat(destroyed.get()).isBetween(15, 45);
    }
}
