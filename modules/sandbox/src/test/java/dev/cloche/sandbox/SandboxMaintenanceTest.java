package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.cloche.linux.LockFile;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.testing.InMemoryFaults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class SandboxMaintenanceTest extends OnTestHost {
    /** A sweep comes to its end however busy the machine is; every one may begin at once. */
    private static final MaintenanceLimits CALM = MaintenanceLimits.defaults()
            .withLease(Duration.ofMinutes(2))
            .withBudget(Duration.ofMinutes(1))
            .withWindow(Duration.ZERO)
            .withOwnerGrace(Duration.ZERO);

    @Test
    void whatDeadRuntimesLeftIsSettledAndTheEphemeralPartOfItRemoved() {
        host.vms.memory.crash(host.abandoned(TestHost.named("kept"), true));
        host.vms.memory.crash(host.abandoned(TestHost.ephemeral("gone"), true));
        host.abandonedStart(TestHost.ephemeral("begun"), false);
        MaintenanceReport report = sweep(CALM);
        assertThat(report).isEqualTo(report(3, 3, 2, 0, false));
        assertThat(host.here.store().list(SandboxFilter.all()))
                .extracting(SandboxRecord::name)
                .containsExactly("kept");
        assertThat(host.termination("kept").reason()).isEqualTo(TerminationReason.INTERNAL_ERROR);
        assertThat(sweep(CALM)).isEqualTo(report(0, 0, 0, 0, false));
    }

    @Test
    void whatLivesIsLeftAlone() throws IOException {
        try (RunningSandbox mine = host.start(TestHost.named("mine"))) {
            host.abandoned(TestHost.named("detached"), true);
            VmId held = host.abandoned(TestHost.named("held"), false);
            Path directory = Files.createDirectories(directory("held"));
            try (LockFile _ = LockFile.tryLock(directory.resolve("owner.lock")).orElseThrow()) {
                for (int i = 0; i < 3; i++) {
                    assertThat(sweep(CALM).reconciled()).isZero();
                }
                assertThat(host.here.store().list(SandboxFilter.all()))
                        .extracting(SandboxRecord::status)
                        .containsOnly(SandboxStatus.RUNNING);
                assertThat(TestHost.output(TestHost.exec(mine, "echo", "alive")))
                        .isEqualTo("alive\n");
                assertThat(host.vms.memory.get(held).orElseThrow().state().live())
                        .isTrue();
            }
        }
    }

    @Test
    void aVmWhoseOwnerDiedIsEndedByTheSecondSweepThatSeesIt() {
        VmId vm = host.abandoned(TestHost.ephemeral("a"), false);
        assertThat(sweep(CALM)).isEqualTo(report(1, 0, 0, 0, false));
        assertThat(host.vms.memory.get(vm).orElseThrow().state().live()).isTrue();
        assertThat(sweep(CALM)).isEqualTo(report(1, 1, 1, 0, false));
        host.assertNothingLeft();
    }

    @Test
    void withinTheGraceItIsLeftToItsGuard() {
        VmId vm = host.abandoned(TestHost.named("a"), false);
        MaintenanceLimits patient = CALM.withOwnerGrace(Duration.ofHours(1));
        for (int i = 0; i < 3; i++) {
            assertThat(sweep(patient).reconciled()).isZero();
        }
        assertThat(host.vms.memory.get(vm).orElseThrow().state().live()).isTrue();
    }

    @Test
    void whatWasAdoptedMeanwhileIsNotEnded() {
        VmId vm = host.abandoned(TestHost.named("a"), false);
        sweep(CALM);
        // After it was judged, and before it is ended.
        host.vms.before(ScriptedVms.Step.GET, id -> own("a", ProcessIdentity.current()));
        assertThat(sweep(CALM).reconciled()).isZero();
        host.vms.noMoreScripts();
        assertThat(host.vms.memory.get(vm).orElseThrow().state().live()).isTrue();
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.RUNNING);
    }

    @Test
    void aRowThatChangedSinceItWasReadIsNotTouched() {
        host.vms.memory.crash(host.abandoned(TestHost.named("a"), true));
        host.vms.beforeNext(
                ScriptedVms.Step.GET, id -> host.sql("UPDATE sandbox SET status = 'STOPPED', updated_at = 1"));
        assertThat(sweep(CALM).reconciled()).isZero();
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.STOPPED);
    }

    @Test
    void ofEachWindowOneSweepIsMade() {
        MaintenanceLimits rare = CALM.withWindow(Duration.ofHours(1));
        assertThat(sweepIfDue(rare).outcome()).isEqualTo(MaintenanceReport.Outcome.SWEPT);
        host.vms.memory.crash(host.abandoned(TestHost.named("a"), true));
        assertThat(sweepIfDue(rare)).isEqualTo(MaintenanceReport.notDue());
        assertThat(sweep(rare).reconciled()).isEqualTo(1);
    }

    @Test
    void aLimitOfChangesCutsASweepAndTheRemainderIsNext() {
        for (int i = 0; i < 5; i++) {
            host.vms.memory.crash(host.abandoned(TestHost.named("sb-" + i), true));
        }
        MaintenanceLimits two = CALM.withChanges(2);
        assertThat(sweepIfDue(two)).isEqualTo(report(2, 2, 0, 0, true));
        assertThat(sweepIfDue(two)).isEqualTo(report(2, 2, 0, 0, true));
        assertThat(sweepIfDue(two)).isEqualTo(report(1, 1, 0, 0, false));
    }

    @Test
    void aLimitOfRemovalsCutsASweepAndTheRemainderIsNext() {
        for (int i = 0; i < 5; i++) {
            host.vms.memory.crash(host.abandoned(TestHost.ephemeral("sb-" + i), true));
        }
        MaintenanceLimits two = CALM.withRemovals(2);
        assertThat(sweepIfDue(two)).isEqualTo(report(5, 5, 2, 0, true));
        assertThat(sweepIfDue(two)).isEqualTo(report(0, 0, 2, 0, true));
        assertThat(sweepIfDue(two)).isEqualTo(report(0, 0, 1, 0, false));
        host.assertNothingLeft();
    }

    @Test
    void whenReconcilingTookAllTheTimeTheNextSweepBeginsWithRemovals() {
        host.vms.memory.crash(host.abandoned(TestHost.ephemeral("old"), true));
        host.here.store().end(host.row("old").orElseThrow().id(), Termination.vanished());
        host.abandoned(TestHost.named("slow"), true);
        MaintenanceLimits tight = CALM.withBudget(Duration.ofSeconds(1));
        host.vms.beforeNext(ScriptedVms.Step.GET, id -> pass(tight.budget()));
        MaintenanceReport first = sweepIfDue(tight);
        assertThat(first.timedOut()).isTrue();
        assertThat(first.removed()).isZero();
        host.vms.beforeNext(ScriptedVms.Step.DESTROY, id -> pass(tight.budget()));
        assertThat(sweepIfDue(tight).removed()).isEqualTo(1);
    }

    @Test
    void timeThatRunsOutIsNoFailureAndTheCursorStandsWhereItDid() {
        for (String name : List.of("a", "b", "c")) {
            host.abandoned(TestHost.named(name), true);
        }
        host.vms.memory.crash(host.vm("c"));
        MaintenanceLimits tight = CALM.withBudget(Duration.ofSeconds(1));
        host.vms.before(ScriptedVms.Step.GET, id -> pass(tight.budget()));
        assertThat(sweepIfDue(tight).timedOut()).isTrue();
        assertThat(sweepIfDue(tight).timedOut()).isTrue();
        host.vms.noMoreScripts();
        MaintenanceReport third = sweepIfDue(CALM);
        assertThat(third.examined()).isEqualTo(1);
        assertThat(third.reconciled()).isEqualTo(1);
    }

    @Test
    void aSandboxThatResistsIsCountedAndHoldsNothingElseUp() {
        host.vms.memory.crash(host.abandoned(TestHost.ephemeral("a"), true));
        host.vms.memory.crash(host.abandoned(TestHost.ephemeral("b"), true));
        host.vms.beforeNext(ScriptedVms.Step.DESTROY, id -> {
            throw new SandboxException.NotFound("resists");
        });
        assertThat(sweepIfDue(CALM)).isEqualTo(report(2, 2, 1, 1, false));
        assertThat(sweepIfDue(CALM)).isEqualTo(report(0, 0, 1, 0, false));
        host.assertNothingLeft();
    }

    @Test
    void aSweepThatFailsRecordsNothingAndIsTriedAgainWhenItsLeaseExpires() {
        host.vms.memory.crash(host.abandoned(TestHost.named("a"), true));
        MaintenanceLimits limits = CALM.withWindow(Duration.ofHours(1))
                .withBudget(Duration.ofSeconds(1))
                .withLease(Duration.ofSeconds(3));
        host.vms.beforeNext(ScriptedVms.Step.GET, id -> {
            throw new IllegalStateException("a fault in Cloche");
        });
        assertThat(sweepIfDue(limits)).isEqualTo(MaintenanceReport.failed());
        assertThat(sweepIfDue(limits)).isEqualTo(MaintenanceReport.notDue());
        Awaitility.await().until(() -> sweepIfDue(limits).reconciled() == 1);
    }

    @Test
    void anOrphanedDirectoryGoesWhenNoProcessHasItInHand() throws IOException {
        Path snapshot = Files.createDirectories(root.resolve("state/sandbox-snapshots/died-9"));
        Path orphan = Files.createDirectories(root.resolve("state/sandboxes/died-7"));
        Path held = Files.createDirectories(root.resolve("state/sandboxes/held-8"));
        host.abandoned(TestHost.named("live"), true);
        Path live = Files.createDirectories(directory("live"));
        try (LockFile _ = LockFile.tryLock(held.resolve("owner.lock")).orElseThrow()) {
            assertThat(sweepIfDue(CALM.withOwnerGrace(Duration.ofHours(1))).errors())
                    .isZero();
            assertThat(orphan)
                    .as("it may be a start's that is about to be recorded")
                    .exists();
            assertThat(snapshot).exists();
            assertThat(sweepIfDue(CALM).errors()).isZero();
            assertThat(orphan).doesNotExist();
            assertThat(snapshot).doesNotExist();
            assertThat(held).exists();
            assertThat(live).exists();
        }
    }

    @Test
    void aBusyCatalogIsNotWaitedFor() throws Exception {
        host.vms.memory.crash(host.abandoned(TestHost.named("a"), true));
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (TestHost.Opened other = host.runtime();
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            var writer = thread.submit(() -> other.catalog().write(transaction -> {
                writing.countDown();
                release.await();
                return true;
            }));
            writing.await();
            assertThat(sweepIfDue(CALM)).isEqualTo(MaintenanceReport.notDue());
            release.countDown();
            assertThat(writer.get()).isTrue();
        }
        assertThat(sweepIfDue(CALM).reconciled()).isEqualTo(1);
    }

    @Test
    void aStrangerWithTheRecordedPidIsNotTheOwner() {
        host.vms.memory.crash(host.abandoned(TestHost.named("a"), false));
        ProcessIdentity me = ProcessIdentity.current();
        own("a", new ProcessIdentity(me.pid(), me.startTime() + 1, me.bootId()));
        assertThat(sweep(CALM).reconciled()).isEqualTo(1);
    }

    @Test
    void afterAReboot() {
        // The guard's lock ended with the boot, and its record is of another.
        VmId vm = host.abandoned(TestHost.named("a"), true);
        host.vms.memory.crash(vm);
        host.vms.memory.destroy(vm);
        ProcessIdentity me = ProcessIdentity.current();
        own("a", new ProcessIdentity(me.pid(), me.startTime(), "another boot"));
        host.abandonedStart(TestHost.ephemeral("b"), false);
        own("b", new ProcessIdentity(me.pid(), me.startTime(), "another boot"));
        assertThat(sweep(CALM)).isEqualTo(report(2, 2, 1, 0, false));
    }

    @Test
    void aPlanTellsWhatASweepWouldDoAndDoesNothing() {
        host.vms.memory.crash(host.abandoned(TestHost.named("stale"), true));
        host.abandoned(TestHost.named("live"), true);
        host.abandoned(TestHost.named("ownerless"), false);
        host.vms.memory.crash(host.abandoned(TestHost.ephemeral("over"), true));
        host.here.store().end(host.row("over").orElseThrow().id(), Termination.vanished());
        SandboxMaintenance maintenance = sandboxes.maintenance(CALM);
        assertThat(maintenance.preview())
                .extracting(MaintenanceStep::sandbox, MaintenanceStep::action)
                .containsExactly(
                        tuple("stale", MaintenanceStep.Action.RECONCILE),
                        tuple("ownerless", MaintenanceStep.Action.WAIT),
                        tuple("over", MaintenanceStep.Action.REMOVE));
        assertThat(host.row("stale").orElseThrow().status()).isEqualTo(SandboxStatus.RUNNING);
        assertThat(host.row("over")).isPresent();
        assertThat(maintenance.sweepIfDue().outcome()).isEqualTo(MaintenanceReport.Outcome.SWEPT);
    }

    @Test
    void aLongLivedRuntimeSweepsInEachWindowUntilItIsClosed() {
        MaintenanceLimits frequent = CALM.withWindow(Duration.ofMillis(30)).withOwnerGrace(Duration.ofHours(1));
        try (SandboxMaintenance maintenance = sandboxes.maintenance(frequent)) {
            maintenance.start();
            for (String name : List.of("a", "b")) {
                host.vms.memory.crash(host.abandoned(TestHost.ephemeral(name), true));
                Awaitility.await().until(() -> host.row(name).isEmpty());
            }
        }
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("sandbox-maintenance");
    }

    @Test
    void eachSweepCountsWhatTheStateRootTakesOfItsDiskAfterItsRemovals() {
        List<Boolean> removed = new ArrayList<>();
        host.vms.faults.before(
                InMemoryFaults.Step.COUNT_STATE_DISK,
                () -> removed.add(host.row("over").isEmpty()));
        host.vms.memory.crash(host.abandoned(TestHost.ephemeral("over"), true));
        assertThat(sweep(CALM).removed()).isEqualTo(1);
        assertThat(removed).containsExactly(true);
        assertThat(sweepIfDue(CALM.withWindow(Duration.ofDays(1)))).isEqualTo(MaintenanceReport.notDue());
        assertThat(removed).hasSize(1);

        host.vms.faults.before(InMemoryFaults.Step.COUNT_STATE_DISK, () -> {
            throw new VmException.Storage("The disk fails", "Check it.", null);
        });
        assertThat(sweep(CALM)).isEqualTo(report(0, 0, 0, 0, false));
    }

    private MaintenanceReport sweep(MaintenanceLimits limits) {
        return sandboxes.maintenance(limits).sweep();
    }

    private MaintenanceReport sweepIfDue(MaintenanceLimits limits) {
        return sandboxes.maintenance(limits).sweepIfDue();
    }

    private static MaintenanceReport report(int examined, int reconciled, int removed, int errors, boolean timedOut) {
        return new MaintenanceReport(
                MaintenanceReport.Outcome.SWEPT, examined, reconciled, removed, 0, errors, timedOut);
    }

    /** Does nothing until more than that much time has passed. */
    private static void pass(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() <= end) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    private Path directory(String name) {
        return root.resolve("state/sandboxes")
                .resolve(host.row(name).orElseThrow().directory());
    }

    private void own(String name, ProcessIdentity owner) {
        host.here
                .catalog()
                .write(transaction -> transaction.update("""
                        UPDATE run SET owner_pid = ?, owner_start_time = ?, owner_boot_id = ?
                        WHERE sandbox_id = (SELECT id FROM sandbox WHERE name = ?)
                        """, owner.pid(), owner.startTime(), owner.bootId(), name));
    }
}
