package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageReference;
import dev.cloche.image.PullListener;
import dev.cloche.image.PullPolicy;
import dev.cloche.pool.Preparation;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.sandbox.lifecycle.SandboxRemoval;
import dev.cloche.sandbox.record.PoolStore;
import dev.cloche.sandbox.warm.GuestSetup;
import dev.cloche.sandbox.warm.WarmStarts;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmSpec;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sandboxes that start from pools, on VMs in memory. */
class WarmStartTest {
    private static final PoolShape SHAPE = PoolShape.of("bare", 256, 1);
    private static final Duration AGE = Duration.ofHours(1);

    @TempDir
    Path directory;

    private TestHost host;

    @BeforeEach
    void open() {
        host = new TestHost(directory);
    }

    @AfterEach
    void close() {
        host.close();
    }

    private SandboxPools pools() {
        return host.here.sandboxes().pools();
    }

    private void fill(int depth) {
        pools().set(SHAPE, TestHost.pool(depth, AGE), Preparation.NONE);
        assertThat(pools().fill(PullListener.none())).isEmpty();
    }

    private PoolStatus pool() {
        return pools().list().getFirst();
    }

    private static SandboxSpec spec() {
        return TestHost.spec(Optional.empty(), "bare");
    }

    private StartTimings timings(SandboxSpec spec) {
        try (RunningSandbox sandbox = host.start(spec)) {
            return sandbox.timings().orElseThrow();
        }
    }

    private VmId pooled() {
        return host.vms.pooled().getFirst().id();
    }

    /** A sandbox that a dead process was starting, of which this VM is recorded. */
    private void deadStarterChose(String name, VmId vm) {
        host.abandonedStart(TestHost.ephemeral(name), false);
        PoolStore store = new PoolStore(host.here.catalog(), Clock.systemUTC());
        assertThat(store.choose(host.row(name).orElseThrow().id(), vm)).isTrue();
    }

    @Test
    void aStartGetsAVmOfThePoolAndItsRunIsRecordedWithIt() throws Exception {
        fill(1);
        VmId waiting = pooled();
        try (RunningSandbox sandbox = host.start(spec().withLabels(Map.of("team", "search")))) {
            assertThat(sandbox.timings().orElseThrow().kind()).isEqualTo(StartKind.WARM);
            assertThat(sandbox.vm()).isEqualTo(waiting);
            assertThat(host.vm(sandbox.name())).isEqualTo(waiting);
            assertThat(TestHost.output(TestHost.exec(sandbox, "hostname"))).isEqualTo(sandbox.name() + "\n");
            SandboxDetails details = host.here.sandboxes().inspect(sandbox.name());
            assertThat(details.labels()).containsEntry("team", "search");
            assertThat(details.starts()).extracting(RunStart::kind).containsExactly(StartKind.WARM);
            Path files = host.directory(sandbox.name()).path();
            assertThat(List.of("owner.lock", "used", "ending", "pause.lock"))
                    .allSatisfy(name -> assertThat(files.resolve(name)).exists());
            assertThat(host.row(sandbox.name())
                            .orElseThrow()
                            .latestRun()
                            .orElseThrow()
                            .guard())
                    .isEqualTo(host.vms.memory.get(waiting).orElseThrow().guard());
        }
        assertThat(pool().counts().hits()).isEqualTo(1);
        assertThat(pool().ready()).isZero();
        assertThat(host.vms.memory.list()).isEmpty();
    }

    @Test
    void aDetachedSandboxFromThePoolOutlivesItsStarterAndIsLogged() {
        fill(1);
        host.startDetached(TestHost.ephemeral("d", "sleep", "600"));
        SandboxDetails details = host.here.sandboxes().inspect("d");
        assertThat(details.starts()).extracting(RunStart::kind).containsExactly(StartKind.WARM);
        assertThat(host.here.sandboxes().outputLog("d")).isNotNull();
        host.here.sandboxes().kill("d", TestHost.soon());
        assertThat(host.vms.memory.list()).isEmpty();
    }

    @Test
    void withoutAReadyVmASandboxIsRestoredAndSaysWhy() {
        fill(1);
        assertThat(timings(spec()).kind()).isEqualTo(StartKind.WARM);
        StartTimings second = timings(spec());
        assertThat(second.kind()).isEqualTo(StartKind.RESTORED);
        assertThat(second.notWarm()).contains("no VM of the pool was ready");
        assertThat(pool().counts().misses()).isEqualTo(1);
    }

    @Test
    void whatCannotBeGivenToARunningVmIsNotTakenFromThePool() {
        fill(1);
        assertThat(timings(spec().withDiskMib(64)).notWarm())
                .hasValueSatisfying(why -> assertThat(why).contains("disk"));
        assertThat(pool().ready()).isEqualTo(1);
        assertThat(pool().counts().misses()).isZero();
    }

    @Test
    void publishedPortsAreNamedAsTheReasonAndWhatCanBeGivenLaterIsNone() {
        VmSpec vm = VmSpec.of(VmId.random(), RootDisk.raw(directory));
        assertThat(unfit(vm)).isEmpty();
        assertThat(unfit(vm.withMaxDuration(Duration.ofSeconds(1)))).isEmpty();
        NetworkSpec.User user = NetworkSpec.user().withNameServer(InetAddress.ofLiteral("9.9.9.9"));
        assertThat(unfit(vm.withNetwork(user))).isEmpty();
        assertThat(unfit(vm.withNetwork(user.withPorts(PublishedPort.parse("80")))))
                .hasValueSatisfying(why -> assertThat(why).contains("publishes ports"));
    }

    @Test
    void aSandboxFromThePoolIsEndedAfterItsLongestDuration() {
        fill(1);
        SandboxSpec limited = TestHost.named("limited", "sleep", "600")
                .withPolicies(SandboxPolicies.none().withMaxDuration(Duration.ofSeconds(2)));
        SandboxRecord started = host.startDetached(limited);
        assertThat(host.here.sandboxes().inspect("limited").starts())
                .extracting(RunStart::kind)
                .containsExactly(StartKind.WARM);
        VmId vm = started.latestRun().orElseThrow().vm();
        Awaitility.await()
                .until(() -> host.vms
                        .memory
                        .get(vm)
                        .flatMap(VmInfo::exit)
                        .filter(exit -> exit.cause() == VmExit.Cause.MAX_DURATION)
                        .isPresent());
        host.awaitEnd("limited");
        assertThat(host.termination("limited").reason()).isEqualTo(TerminationReason.MAX_DURATION_EXCEEDED);
    }

    @Test
    void poolsWithAndWithoutANetworkAreTwo() {
        fill(1);
        pools().set(SHAPE.withNetwork(true), TestHost.pool(2, AGE), Preparation.NONE);
        assertThat(pools().list()).extracting(PoolStatus::shape).containsExactly(SHAPE, SHAPE.withNetwork(true));
        assertThat(pools().list()).extracting(PoolStatus::ready).containsExactly(1, 0);
        assertThat(timings(spec()).kind()).isEqualTo(StartKind.WARM);
        pools().remove(SHAPE.withNetwork(true));
        assertThat(pools().list()).extracting(PoolStatus::shape).containsExactly(SHAPE);
        assertThatThrownBy(() -> pools().remove(SHAPE.withNetwork(true)))
                .isInstanceOf(SandboxException.NoPool.class)
                .hasMessageContaining("with a network");
    }

    @Test
    void whoHasAPoolForTheOtherNetworkIsTold() {
        pools().set(SHAPE.withNetwork(true), TestHost.pool(1, AGE), Preparation.NONE);
        assertThat(timings(spec()).notWarm())
                .hasValueSatisfying(why -> assertThat(why).contains("with a network"));
    }

    private static Optional<String> unfit(VmSpec vm) {
        return WarmStarts.Request.ofImage(
                        vm, ImageReference.parse("bare"), new GuestSetup("host", Secrets.none()), _ -> true)
                .unfit();
    }

    @Test
    void aSandboxWithoutAPoolSaysNothingOfPools() {
        fill(1);
        assertThat(timings(spec().withMemoryMib(300)).notWarm()).isEmpty();
        assertThat(timings(TestHost.spec(Optional.empty(), "tool")).notWarm()).isEmpty();
    }

    @Test
    void aVmThatIsBrokenIsPassedOverForTheNext() {
        fill(2);
        VmId broken = host.vms.pooled().getLast().id();
        host.vms.memory.crash(broken);
        assertThat(timings(spec()).kind()).isEqualTo(StartKind.WARM);
        assertThat(timings(spec()).kind()).isEqualTo(StartKind.RESTORED);
        pools().fill(PullListener.none());
        assertThat(pool().ready()).isEqualTo(2);
        assertThat(host.vms.memory.get(broken)).isEmpty();
    }

    @Test
    void aStarterThatDiedBetweenChoosingAndClaimingLeavesTheVmInThePool() {
        fill(1);
        VmId vm = pooled();
        deadStarterChose("dead", vm);
        assertThat(host.here.sandboxes().list()).isEmpty();
        assertThat(host.row("dead")).isEmpty();
        assertThat(host.vms.pooled()).extracting(PooledVm::id).containsExactly(vm);
        assertThat(timings(spec()).kind()).isEqualTo(StartKind.WARM);
    }

    @Test
    void aVmThatADeadStarterHadChosenIsTheNextOnesAlone() {
        fill(1);
        VmId vm = pooled();
        deadStarterChose("dead", vm);
        try (RunningSandbox sandbox = host.start(spec())) {
            assertThat(sandbox.vm()).isEqualTo(vm);
            assertThat(host.vm("dead")).isNotEqualTo(vm);
            assertThat(host.here.sandboxes().list())
                    .extracting(SandboxRecord::name)
                    .containsExactly(sandbox.name());
            assertThat(host.vms.memory.get(vm).orElseThrow().state().live()).isTrue();
        }
    }

    @Test
    void settlingADeadStartWhileItsVmIsHandedOutHarmsNoOther() {
        fill(1);
        VmId vm = pooled();
        deadStarterChose("dead", vm);
        SandboxRecord asItWas = host.row("dead").orElseThrow();
        try (RunningSandbox sandbox = host.start(spec())) {
            SandboxRemoval removal = new SandboxRemoval(context());
            removal.destroyOwn(asItWas.id(), vm);
            assertThat(host.vms.memory.get(sandbox.vm()).orElseThrow().state().live())
                    .isTrue();
        }
    }

    private SandboxContext context() {
        return host.here.sandboxes().context;
    }

    @Test
    void aStartThatFailsAfterChoosingLeavesNothing() {
        fill(1);
        VmId waiting = pooled();
        host.here.catalog().write(transaction -> transaction.update("""
            CREATE TEMP TRIGGER refuse BEFORE UPDATE OF status ON sandbox WHEN new.status = 'RUNNING'
            BEGIN SELECT RAISE(ABORT, 'refused'); END
            """));
        assertThatThrownBy(() -> host.start(spec())).hasMessageContaining("refused");
        assertThat(host.vms.memory.get(waiting)).isEmpty();
        assertThat(host.here.store().list(SandboxFilter.all())).isEmpty();
        assertThat(host.vms.memory.list()).isEmpty();
    }

    @Test
    void removingAPoolRemovesItsVmsAndLetsGoOfItsImage() {
        fill(2);
        assertThat(host.count("image_pin")).isEqualTo(1);
        pools().remove(SHAPE);
        assertThat(host.vms.memory.list()).isEmpty();
        host.assertNoPins();
        assertThat(pools().list()).isEmpty();
        assertThatThrownBy(() -> pools().remove(SHAPE)).isInstanceOf(SandboxException.NoPool.class);
    }

    @Test
    void aSmallerDepthIsReachedByTheNextFilling() {
        fill(3);
        fill(1);
        assertThat(pool().ready()).isEqualTo(1);
        assertThat(pool().policy().depth().max()).isEqualTo(1);
    }

    @Test
    void aPoolThatCannotBeFilledSaysWhyAndHarmsNoOther() {
        pools().set(PoolShape.of("no-such-image", 256, 1), TestHost.pool(1, AGE), Preparation.NONE);
        pools().set(SHAPE, TestHost.pool(1, AGE), Preparation.NONE);
        host.vms.faults.failRestores(1);
        assertThat(pools().fill(PullListener.none())).hasSize(2);
        assertThat(pools().list()).allSatisfy(pool -> {
            assertThat(pool.counts().failed()).isEqualTo(1);
            assertThat(pool.counts().lastError()).isPresent();
        });
        assertThat(pools().fill(PullListener.none())).hasSize(1);
        assertThat(pool().ready() + pools().list().getLast().ready()).isEqualTo(1);
    }

    @Test
    void moreThanAHostMayHaveIsRefused() {
        assertThatThrownBy(() -> pools().set(SHAPE, TestHost.pool(65, AGE), Preparation.NONE))
                .isInstanceOf(SandboxException.InvalidSpecification.class)
                .hasMessageContaining("64 VMs");
        assertThatThrownBy(() -> pools().set(SHAPE, TestHost.pool(0, AGE), Preparation.NONE))
                .isInstanceOf(ClocheException.class);
        assertThatThrownBy(() -> pools().set(SHAPE, TestHost.pool(1, Duration.ZERO), Preparation.NONE))
                .isInstanceOf(SandboxException.InvalidSpecification.class);
    }

    @Test
    void aSweepRemovesWhatKilledMakersAndRetiredVmsLeave() {
        fill(1);
        host.vms.memory.retire(pooled());
        ImageHolder dead = new ImageHolder("template", "1:1:an-earlier-boot bare 256 1", "bare 256 1");
        var _ = host.here
                .images()
                .acquire(ImageReference.parse("bare"), PullPolicy.MISSING, dead, PullListener.none(), TestHost.soon());
        host.here
                .sandboxes()
                .maintenance(MaintenanceLimits.defaults()
                        .withWindow(Duration.ZERO)
                        .withLease(Duration.ofMinutes(2))
                        .withBudget(Duration.ofMinutes(1)))
                .sweep();
        assertThat(host.here.images().holders("template")).isEmpty();
        assertThat(host.here.images().holders("pool")).hasSize(1);
        assertThat(host.vms.memory.list()).isEmpty();
    }

    @Test
    void aLongLivedProcessKeepsThePoolItself() {
        try (TestHost.Opened other = host.runtime(new TemplateMaking.InBackground())) {
            other.sandboxes().pools().set(SHAPE, TestHost.pool(2, AGE), Preparation.NONE);
            Awaitility.await().until(() -> pool().ready() == 2);
            try (RunningSandbox sandbox = other.sandboxes().start(spec(), PullListener.none(), TestHost.soon())) {
                assertThat(sandbox.timings().orElseThrow().kind()).isEqualTo(StartKind.WARM);
                Awaitility.await().until(() -> pool().ready() == 2);
            }
        }
        assertThat(pool().ready()).isEqualTo(2);
    }

    @Test
    void aShortProcessLeavesTheFillingToAnother() {
        Path told = directory.resolve("told");
        fill(1);
        TemplateMaking making = new TemplateMaking.ByProcess(List.of("false"), List.of("touch", told.toString()));
        try (TestHost.Opened other = host.runtime(making)) {
            other.sandboxes()
                    .start(spec(), PullListener.none(), TestHost.soon())
                    .close();
        }
        Awaitility.await().until(() -> Files.exists(told));
    }

    @Test
    void aProcessThatTookNothingStartsNoFiller() {
        Path told = directory.resolve("told");
        TemplateMaking making = new TemplateMaking.ByProcess(List.of("false"), List.of("touch", told.toString()));
        try (TestHost.Opened other = host.runtime(making)) {
            other.sandboxes()
                    .start(spec(), PullListener.none(), TestHost.soon())
                    .close();
        }
        assertThat(told).doesNotExist();
    }
}
