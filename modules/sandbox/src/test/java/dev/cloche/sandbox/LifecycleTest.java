package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.VmId;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vm.WriteOptions;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What people do to sandboxes, and what is recorded of it. */
class LifecycleTest {
    private static final Duration GRACE = Duration.ofSeconds(5);

    @TempDir
    Path root;

    private TestHost host;
    private Sandboxes sandboxes;

    @BeforeEach
    void open() {
        host = new TestHost(root);
        sandboxes = host.here.sandboxes();
    }

    @AfterEach
    void close() {
        host.close();
    }

    @Test
    void isCreatedWithItsImageAndStartedLater() {
        SandboxRecord created = create(TestHost.named("a", "sleep", "1000"));
        assertThat(created.status()).isEqualTo(SandboxStatus.CREATED);
        assertThat(created.manifest()).isPresent();
        assertThat(created.latestRun()).isEmpty();
        assertThat(host.vms.created).isEmpty();

        SandboxRecord started = start("a");
        assertThat(started.status()).isEqualTo(SandboxStatus.RUNNING);
        assertThat(started.manifest()).isEqualTo(created.manifest());
        assertThat(start("a")).as("one that runs is left alone").isEqualTo(started);
        sandboxes.kill("a", TestHost.soon());
    }

    @Test
    void aCreationThatFailsLeavesNothing() {
        assertThatThrownBy(() -> create(TestHost.spec(Optional.of("a"), "missing.example/none")))
                .isInstanceOf(RuntimeException.class);
        host.assertNothingLeft();
    }

    @Test
    void whatWasCreatedIsRemovedWithoutForce() {
        create(TestHost.named("a"));
        sandboxes.remove("a", false, TestHost.soon());
        host.assertNothingLeft();
    }

    @Test
    void startsAgainWithTheSameCommandAndOptions() {
        CommandOptions options =
                new CommandOptions(Map.of("COLOUR", "blue"), Optional.of("/work"), Optional.of("root"), false);
        sandboxes.startDetached(
                TestHost.named("a", "sh", "-c", "exit 3"), options, PullListener.none(), TestHost.soon());
        host.awaitEnd("a");
        start("a");
        host.awaitEnd("a");
        SandboxDetails details = sandboxes.inspect("a");
        assertThat(details.main()).contains(new MainCommand(List.of("sh", "-c", "exit 3"), options));
        assertThat(details.runs()).hasSize(2).allSatisfy(run -> {
            assertThat(run.status()).isEqualTo(RunStatus.TERMINATED);
            assertThat(run.ending().orElseThrow().exitCode()).hasValue(3);
            assertThat(run.readyAt()).isPresent();
            assertThat(run.terminatedAt()).isPresent();
        });
    }

    @Test
    void keepsTheLatestRunsAndTheirFilesOnly() {
        SandboxPolicies policies = SandboxPolicies.none().withKeptRuns(2);
        host.startDetached(TestHost.named("a", "true").withPolicies(policies));
        host.awaitEnd("a");
        for (int i = 0; i < 3; i++) {
            start("a");
            host.awaitEnd("a");
        }
        List<VmId> kept =
                sandboxes.inspect("a").runs().stream().map(RunRecord::vm).toList();
        assertThat(kept).hasSize(2);
        assertThat(host.vms.memory.list()).extracting(vm -> vm.id()).containsExactlyInAnyOrderElementsOf(kept);
    }

    @Test
    void whatAPersistentSandboxWritesStaysAndGoesWithIt() {
        host.startDetached(TestHost.named("a", "sleep", "1000").withDiskMib(64));
        assertThat(host.vms.created.getLast().writable())
                .isEqualTo(WritableLayer.persistent(host.directory("a").disk()));
        sandboxes.restart("a", GRACE, TestHost.soon());
        assertThat(host.vms.created.getLast().writable())
                .isEqualTo(WritableLayer.persistent(host.directory("a").disk()));
        assertThat(sandboxes.get("a").diskMib()).hasValue(64);
        assertThat(host.vms.disks().find(host.directory("a").disk())).isPresent();
        sandboxes.remove("a", true, TestHost.soon());
        host.assertNothingLeft();
    }

    @Test
    void theDiskOfAnEphemeralSandboxIsItsVms() {
        host.startDetached(TestHost.ephemeral("a", "sleep", "1000").withDiskMib(64));
        assertThat(host.vms.created.getLast().writable()).isEqualTo(WritableLayer.disk(64));
        sandboxes.remove("a", true, TestHost.soon());
        host.assertNothingLeft();
    }

    @Test
    void aKillThatSomebodyAskedForIsNoCrash() {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        sandboxes.kill("a", TestHost.soon());
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.STOPPED);
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.SIGNAL);
        assertThat(host.ending("a").exitSignal()).hasValue(9);
        assertThat(host.ending("a").asked()).isTrue();
    }

    @Test
    void restartsWithANewRun() {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        VmId first = host.vm("a");
        SandboxRecord again = sandboxes.restart("a", GRACE, TestHost.soon());
        assertThat(again.status()).isEqualTo(SandboxStatus.RUNNING);
        assertThat(host.vm("a")).isNotEqualTo(first);
        assertThat(sandboxes
                        .inspect("a")
                        .runs()
                        .getLast()
                        .ending()
                        .orElseThrow()
                        .reason())
                .isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
        sandboxes.kill("a", TestHost.soon());
    }

    @Test
    void whatGoesAwayWhenItEndsCannotBeRestarted() {
        host.startDetached(TestHost.ephemeral("a", "sleep", "1000"));
        assertThatThrownBy(() -> sandboxes.restart("a", GRACE, TestHost.soon()))
                .isInstanceOf(SandboxException.Ephemeral.class);
        assertThat(sandboxes.get("a").status()).isEqualTo(SandboxStatus.RUNNING);
        sandboxes.remove("a", true, TestHost.soon());
    }

    @Test
    void aRestartThatFailsIsRecordedAndTheSandboxStays() {
        host.startDetached(TestHost.named("a", "true"));
        host.awaitEnd("a");
        host.vms.beforeNext(ScriptedVms.Step.CREATE, id -> {
            throw new SandboxException.Owned("the disk");
        });
        assertThatThrownBy(() -> start("a")).isInstanceOf(SandboxException.Owned.class);
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.CRASHED);
        assertThat(host.ending("a").detail()).contains("It did not start");
        start("a");
        host.awaitEnd("a");
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.COMPLETED);
    }

    @Test
    void pausesAndResumes() {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        sandboxes.pause("a", TestHost.soon());
        sandboxes.pause("a", TestHost.soon());
        assertThat(sandboxes.get("a").status()).isEqualTo(SandboxStatus.PAUSED);
        assertThatThrownBy(() -> sandboxes.connect("a", TestHost.soon()))
                .isInstanceOf(SandboxException.NotRunning.class)
                .hasMessageContaining("paused");
        sandboxes.resume("a", TestHost.soon());
        sandboxes.resume("a", TestHost.soon());
        try (RunningSandbox connection = sandboxes.connect("a", TestHost.soon())) {
            assertThat(TestHost.exec(connection, "true").await(TestHost.soon()).success())
                    .isTrue();
        }
        sandboxes.kill("a", TestHost.soon());
        assertThatThrownBy(() -> sandboxes.pause("a", TestHost.soon())).isInstanceOf(SandboxException.NotRunning.class);
    }

    @Test
    void aPausedOneStopsInOrder() {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        sandboxes.pause("a", TestHost.soon());
        sandboxes.stop("a", GRACE, TestHost.soon());
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
    }

    @Test
    void drainsOnceTheCommandsInItHaveFinished() throws Exception {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        try (RunningSandbox connection = sandboxes.connect("a", TestHost.soon());
                TestHost.Opened other = host.runtime();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            GuestExecution running = TestHost.exec(connection, "sleep", "1000");
            Future<?> drain = threads.submit(() -> other.sandboxes().drain("a", TestHost.soon(), GRACE));
            Awaitility.await().until(() -> host.row("a").orElseThrow().status() == SandboxStatus.DRAINING);
            assertThatThrownBy(() -> TestHost.exec(connection, "true")).isInstanceOf(SandboxException.Draining.class);
            assertThatThrownBy(() -> connection.withFiles(files -> files))
                    .isInstanceOf(SandboxException.Draining.class);
            assertThat(drain.isDone()).isFalse();
            running.signal(15, TestHost.soon());
            running.await(TestHost.soon());
            drain.get();
        }
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.STOPPED);
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.DRAIN_REQUESTED);
        start("a");
        try (RunningSandbox connection = sandboxes.connect("a", TestHost.soon())) {
            assertThat(TestHost.exec(connection, "true").await(TestHost.soon()).success())
                    .isTrue();
        }
        sandboxes.kill("a", TestHost.soon());
    }

    @Test
    void drainsOnceTheFilesInItAreClosed() throws Exception {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        try (RunningSandbox connection = sandboxes.connect("a", TestHost.soon());
                TestHost.Opened other = host.runtime();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            OutputStream file =
                    connection.writeFile(files -> files.write("/tmp/long", WriteOptions.REPLACE, TestHost.soon()));
            file.write(1);
            Future<?> drain = threads.submit(() -> other.sandboxes().drain("a", TestHost.soon(), GRACE));
            Awaitility.await().until(() -> host.row("a").orElseThrow().status() == SandboxStatus.DRAINING);
            assertThatThrownBy(() ->
                            connection.readFile(files -> files.read("/tmp/long", 0, Long.MAX_VALUE, TestHost.soon())))
                    .isInstanceOf(SandboxException.Draining.class);
            file.write(2);
            assertThat(drain.isDone()).isFalse();
            file.close();
            drain.get();
        }
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.DRAIN_REQUESTED);
    }

    @Test
    void aDrainWhoseTimeIsOverStops() {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        try (RunningSandbox connection = sandboxes.connect("a", TestHost.soon());
                GuestExecution _ = TestHost.exec(connection, "sleep", "1000")) {
            sandboxes.drain("a", Deadline.after(Duration.ofMillis(10)), GRACE);
        }
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.DRAIN_REQUESTED);
    }

    @Test
    void isFoundByItsNewNameOnly() {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        create(TestHost.named("taken"));
        sandboxes.rename("a", "b");
        assertThatThrownBy(() -> sandboxes.get("a")).isInstanceOf(SandboxException.NotFound.class);
        assertThat(sandboxes.get("b").directory()).startsWith("a-");
        assertThatThrownBy(() -> sandboxes.rename("b", "taken")).isInstanceOf(SandboxException.NameInUse.class);
        assertThatThrownBy(() -> sandboxes.rename("b", "B")).isInstanceOf(SandboxException.InvalidSpecification.class);
        sandboxes.rename("b", "b");
        sandboxes.remove("b", true, TestHost.soon());
        sandboxes.remove("taken", false, TestHost.soon());
        host.assertNothingLeft();
    }

    @Test
    void isFoundByStatusLabelAndImagePageByPage() {
        for (int i = 0; i < 5; i++) {
            create(TestHost.named("c" + i).withLabels(Map.of("team", i % 2 == 0 ? "even" : "odd", "n", "" + i)));
        }
        create(TestHost.spec(Optional.of("tool"), "tool"));
        SandboxFilter even = SandboxFilter.all().withLabels(Map.of("team", Optional.of("even")));
        SandboxPage first = sandboxes.list(even.withLimit(2));
        assertThat(first.sandboxes()).extracting(SandboxRecord::name).containsExactly("c4", "c2");
        SandboxPage second =
                sandboxes.list(even.withLimit(2).withBefore(first.next().orElseThrow()));
        assertThat(second.sandboxes()).extracting(SandboxRecord::name).containsExactly("c0");
        assertThat(second.next()).isEmpty();
        assertThat(names(SandboxFilter.all().withImage("tool"))).containsExactly("tool");
        assertThat(names(SandboxFilter.all()
                        .withLabels(Map.of("n", Optional.empty()))
                        .withStatuses(EnumSet.of(SandboxStatus.CREATED))))
                .containsExactly("c4", "c3", "c2", "c1", "c0");
        assertThat(names(SandboxFilter.all().withStatuses(EnumSet.of(SandboxStatus.RUNNING))))
                .isEmpty();
        assertThat(sandboxes.inspect("c3").labels()).isEqualTo(Map.of("team", "odd", "n", "3"));
    }

    @Test
    void anUnusedSandboxIsStopped() {
        SandboxPolicies policies = SandboxPolicies.none().withIdleTimeout(Duration.ofMillis(50));
        RunningSandbox sandbox = host.start(TestHost.named("a").withPolicies(policies));
        Awaitility.await().until(() -> host.row("a").orElseThrow().status() == SandboxStatus.STOPPED);
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.IDLE_TIMEOUT);
        assertThat(host.ending("a").asked()).isTrue();
        sandbox.close();
    }

    @Test
    void aSandboxWithACommandInItIsInUseWhoeverStartedIt() throws Exception {
        Duration timeout = Duration.ofSeconds(2);
        try (RunningSandbox owner = host.start(
                        TestHost.named("a").withPolicies(SandboxPolicies.none().withIdleTimeout(timeout)));
                TestHost.Opened other = host.runtime()) {
            RunningSandbox client = other.sandboxes().connect("a", TestHost.soon());
            GuestExecution use = TestHost.exec(client, "sleep", "1000");
            Awaitility.await()
                    .until(() -> SandboxUse.sinceUsed(host.directory("a"))
                            .filter(since -> since.compareTo(timeout.plusMillis(500)) > 0)
                            .isPresent());
            assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.RUNNING);
            use.close();
            Awaitility.await().until(() -> host.row("a").orElseThrow().status() == SandboxStatus.STOPPED);
            assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.IDLE_TIMEOUT);
            client.close();
            assertThat(owner.name()).isEqualTo("a");
        }
    }

    @Test
    void aSandboxIsInUseWhileItsPublishedPortsAre() {
        Duration timeout = Duration.ofMillis(50);
        host.vms.portsUsed(Duration.ZERO);
        RunningSandbox sandbox = host.start(
                TestHost.named("a").withPolicies(SandboxPolicies.none().withIdleTimeout(timeout)));
        Awaitility.await()
                .until(() -> SandboxUse.sinceUsed(host.directory("a"))
                        .filter(since -> since.compareTo(timeout.multipliedBy(10)) > 0)
                        .isPresent());
        assertThat(host.row("a").orElseThrow().status()).isEqualTo(SandboxStatus.RUNNING);
        host.vms.portsUsed(Duration.ofHours(1));
        Awaitility.await().until(() -> host.row("a").orElseThrow().status() == SandboxStatus.STOPPED);
        assertThat(host.ending("a").reason()).isEqualTo(TerminationReason.IDLE_TIMEOUT);
        sandbox.close();
    }

    @Test
    void aWaitEndsWithTheStatusAndSaysWhy() throws Exception {
        host.startDetached(TestHost.named("a", "sleep", "1000"));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                TestHost.Opened other = host.runtime()) {
            Future<Optional<StatusReached>> wait = threads.submit(() -> other.sandboxes()
                    .await("a", EnumSet.of(SandboxStatus.STOPPED, SandboxStatus.CRASHED), TestHost.soon()));
            sandboxes.kill("a", TestHost.soon());
            StatusReached reached = wait.get().orElseThrow();
            assertThat(reached.status()).isEqualTo(SandboxStatus.STOPPED);
            assertThat(reached.ending().orElseThrow().reason()).isEqualTo(TerminationReason.SIGNAL);
        }
        assertThat(sandboxes.await("a", EnumSet.of(SandboxStatus.STOPPED), TestHost.soon()))
                .isPresent();
        assertThatThrownBy(() ->
                        sandboxes.await("a", EnumSet.of(SandboxStatus.RUNNING), Deadline.after(Duration.ofMillis(1))))
                .isInstanceOf(SandboxException.WaitTooLong.class);
    }

    @Test
    void whatHappensIsToldInOrderAcrossRuntimes() throws Exception {
        try (TestHost.Opened other = host.runtime();
                SandboxEvents.Stream events = other.sandboxes().events().from(Optional.empty())) {
            create(TestHost.named("a", "sleep", "1000"));
            start("a");
            sandboxes.pause("a", TestHost.soon());
            sandboxes.resume("a", TestHost.soon());
            sandboxes.rename("a", "b");
            sandboxes.kill("b", TestHost.soon());
            sandboxes.remove("b", false, TestHost.soon());
            for (SandboxEvent.Kind kind : List.of(
                    SandboxEvent.Kind.CREATED,
                    SandboxEvent.Kind.STARTING,
                    SandboxEvent.Kind.RUNNING,
                    SandboxEvent.Kind.PAUSED,
                    SandboxEvent.Kind.RESUMED,
                    SandboxEvent.Kind.RENAMED,
                    SandboxEvent.Kind.DRAINING,
                    SandboxEvent.Kind.STOPPED,
                    SandboxEvent.Kind.REMOVED)) {
                SandboxEvent event = events.next(TestHost.soon()).orElseThrow();
                assertThat(event.kind()).isEqualTo(kind);
                if (kind == SandboxEvent.Kind.STOPPED) {
                    assertThat(event.ending().orElseThrow().reason()).isEqualTo(TerminationReason.SIGNAL);
                }
            }
            assertThat(events.next(Deadline.after(Duration.ZERO))).isEmpty();
        }
    }

    private SandboxRecord create(SandboxSpec spec) {
        return sandboxes.create(
                spec, CommandOptions.none(), PullListener.none(), Deadline.after(Duration.ofSeconds(20)));
    }

    private SandboxRecord start(String name) {
        return sandboxes.start(name, PullListener.none(), TestHost.soon());
    }

    private List<String> names(SandboxFilter filter) {
        return sandboxes.list(filter).sandboxes().stream()
                .map(SandboxRecord::name)
                .toList();
    }
}
