package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.image.PullListener;
import dev.cloche.pool.Preparation;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.VmId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SandboxPools in processes that are there to stay, beside others and alone, on VMs in memory. */
class KeptPoolsTest {
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

    private TestHost.Opened staying() {
        return host.runtime(new TemplateMaking.InBackground());
    }

    /** As another process sees it. */
    private PoolStatus pool() {
        return host.here.sandboxes().pools().list().getFirst();
    }

    private void awaitReady(int depth) {
        await().until(() -> pool().ready() == depth && pool().making() == 0);
    }

    private static RunningSandbox start(TestHost.Opened runtime) {
        return runtime.sandboxes().start(TestHost.spec(Optional.empty(), "bare"), PullListener.none(), TestHost.soon());
    }

    private static StartTimings timings(RunningSandbox sandbox) {
        return sandbox.timings().orElseThrow();
    }

    @Test
    void ofABurstThatIsLargerThanThePoolAllAreServedAndNothingIsLeft() throws Exception {
        try (TestHost.Opened runtime = staying()) {
            runtime.sandboxes().pools().set(SHAPE, TestHost.pool(3, AGE), Preparation.NONE);
            awaitReady(3);
            start(runtime).close();
            awaitReady(3);
            Set<VmId> seen = new HashSet<>();
            List<StartKind> kinds = new ArrayList<>();
            Callable<RunningSandbox> starter = () -> start(runtime);
            try (ExecutorService many = Executors.newVirtualThreadPerTaskExecutor()) {
                for (Future<RunningSandbox> one : many.invokeAll(java.util.Collections.nCopies(12, starter))) {
                    RunningSandbox sandbox = one.get();
                    assertThat(seen.add(sandbox.vm())).isTrue();
                    kinds.add(timings(sandbox).kind());
                    assertThat(TestHost.output(TestHost.exec(sandbox, "hostname")))
                            .isEqualTo(sandbox.name() + "\n");
                    sandbox.close();
                }
            }
            assertThat(kinds).contains(StartKind.WARM).doesNotContain(StartKind.COLD);
            awaitReady(3);
        }
        assertThat(host.vms.memory.list()).hasSize(3);
        assertThat(host.vms.pooled()).allMatch(vm -> vm.stage() == PooledVm.Stage.SHELVED);
    }

    @Test
    void whatAnotherProcessTakesOfAKeptPoolIsMadeAnewByItsKeeper() {
        try (TestHost.Opened keeper = staying()) {
            keeper.sandboxes().pools().set(SHAPE, TestHost.pool(2, AGE), Preparation.NONE);
            awaitReady(2);
            for (int i = 0; i < 3; i++) {
                try (RunningSandbox sandbox = start(host.here)) {
                    assertThat(timings(sandbox).kind()).isEqualTo(StartKind.WARM);
                }
                awaitReady(2);
            }
        }
    }

    @Test
    void oneOfSeveralKeepsAPoolAndWhenItEndsAnotherDoes() {
        TestHost.Opened first = staying();
        try (TestHost.Opened second = staying()) {
            first.sandboxes().pools().set(SHAPE, TestHost.pool(2, AGE), Preparation.NONE);
            awaitReady(2);
            second.sandboxes().keep();
            try (RunningSandbox sandbox = start(second)) {
                assertThat(timings(sandbox).kind()).isEqualTo(StartKind.WARM);
            }
            awaitReady(2);
            first.close();
            assertThat(pool().ready()).isEqualTo(2);
            try (RunningSandbox sandbox = start(second)) {
                assertThat(timings(sandbox).kind()).isEqualTo(StartKind.WARM);
            }
            awaitReady(2);
        }
    }

    @Test
    void whereNoVmCanBeMadeForItAStartIsMadeWithoutThePoolAndSaysWhy() {
        try (TestHost.Opened runtime = staying()) {
            runtime.sandboxes().pools().set(SHAPE, TestHost.pool(1, AGE), Preparation.NONE);
            awaitReady(1);
            start(runtime).close();
            awaitReady(1);
            host.vms.faults.failRestores(Integer.MAX_VALUE);
            start(runtime).close();
            try (RunningSandbox sandbox = start(runtime)) {
                assertThat(timings(sandbox).kind()).isEqualTo(StartKind.COLD);
                assertThat(timings(sandbox).notWarm().orElseThrow()).contains("no VM of the pool was ready");
            }
            await().until(() -> pool().counts().lastError().isPresent());
            host.vms.faults.failRestores(0);
        }
    }

    @Test
    void aPoolThatAnotherProcessRemovesIsKeptNoMore() {
        try (TestHost.Opened keeper = staying()) {
            keeper.sandboxes().pools().set(SHAPE, TestHost.pool(2, AGE), Preparation.NONE);
            awaitReady(2);
            host.here.sandboxes().pools().remove(SHAPE);
            await().until(() -> host.vms.memory.list().isEmpty());
            host.here.sandboxes().pools().set(SHAPE.withNetwork(true), TestHost.pool(1, AGE), Preparation.NONE);
            awaitReady(1);
            await().until(() -> host.vms.memory.list().size() == 1);
            assertThat(directory.resolve("state/pools"))
                    .satisfiesAnyOf(
                            pools -> assertThat(pools).isDirectoryNotContaining("glob:**kept-1.lock"),
                            pools -> assertThat(pools).doesNotExist());
        }
    }

    @Test
    void aSmallerDepthOfAnotherProcessIsFollowed() {
        try (TestHost.Opened keeper = staying()) {
            keeper.sandboxes().pools().set(SHAPE, TestHost.pool(3, AGE), Preparation.NONE);
            awaitReady(3);
            host.here.sandboxes().pools().set(SHAPE, TestHost.pool(1, AGE), Preparation.NONE);
            awaitReady(1);
        }
    }

    @Test
    void aProcessThatComesAndGoesHasNoOtherFillWhatIsKept() {
        Path told = directory.resolve("told");
        TemplateMaking making = new TemplateMaking.ByProcess(List.of("false"), List.of("touch", told.toString()));
        try (TestHost.Opened keeper = staying()) {
            keeper.sandboxes().pools().set(SHAPE, TestHost.pool(1, AGE), Preparation.NONE);
            awaitReady(1);
            try (TestHost.Opened goes = host.runtime(making)) {
                start(goes).close();
            }
            awaitReady(1);
        }
        assertThat(told).doesNotExist();
    }

    @Test
    void aCommandThatFailsInANewVmRejectsItInEveryProcess() {
        PoolStatus.Policy failing = TestHost.pool(1, AGE).withCheck(List.of("false"));
        host.here.sandboxes().pools().set(SHAPE, failing, Preparation.NONE);
        assertThat(host.here.sandboxes().pools().fill(PullListener.none()))
                .singleElement()
                .asString()
                .contains("false");
        assertThat(pool().retryAt()).isPresent();
        assertThat(host.vms.memory.list()).isEmpty();
        Queue<String> warnings = new ConcurrentLinkedQueue<>();
        Logger logger = Logger.getLogger(SandboxPools.class.getName());
        logger.setFilter(line -> {
            warnings.add(line.getLevel() + " " + line.getMessage());
            return false;
        });
        try (TestHost.Opened keeper = staying()) {
            keeper.sandboxes().keep();
            await().until(() -> pool().counts().failed() > 1);
            await().until(() -> warnings.stream()
                    .anyMatch(line -> line.startsWith("WARNING no VM was made for the pool of")
                            && line.contains("health check")));
            assertThat(pool().counts().lastError().orElseThrow())
                    .contains("health check")
                    .contains("'false' ended with");
            assertThat(pool().ready()).isZero();
            host.here.sandboxes().pools().set(SHAPE, failing.withCheck(List.of("true")), Preparation.NONE);
            awaitReady(1);
            await().until(() -> pool().retryAt().isEmpty());
            try (RunningSandbox sandbox = start(host.here)) {
                assertThat(timings(sandbox).kind()).isEqualTo(StartKind.WARM);
            }
        } finally {
            logger.setFilter(null);
        }
    }

    @Test
    void aVmThatDoesNotServeWhatItIsAskedForIsRejectedInEveryProcess() {
        PoolStatus.Policy asking =
                TestHost.pool(1, AGE).withProbes(List.of(new PoolStatus.Probe(8000, Optional.empty())));
        host.here.sandboxes().pools().set(SHAPE, asking, Preparation.NONE);
        try (TestHost.Opened keeper = staying()) {
            keeper.sandboxes().keep();
            await().until(() -> pool().counts().failed() > 0);
            assertThat(pool().counts().lastError().orElseThrow())
                    .contains("health check")
                    .contains("no program listens on port 8000 of its guest");
            assertThat(pool().ready()).isZero();
            host.here.sandboxes().pools().set(SHAPE, asking.withProbes(List.of()), Preparation.NONE);
            awaitReady(1);
        }
    }

    @Test
    void vmsThatFunctionsPrepareAreMadeOnlyWhereTheFunctionsAre() {
        AtomicInteger prepared = new AtomicInteger();
        try (TestHost.Opened keeper = staying();
                TestHost.Opened other = staying()) {
            other.sandboxes().keep();
            keeper.sandboxes()
                    .pools()
                    .set(
                            SHAPE,
                            TestHost.pool(2, AGE),
                            Preparation.NONE.withWarmUp(guest -> prepared.incrementAndGet()));
            awaitReady(2);
            assertThat(prepared).hasValue(2);
            assertThat(host.here.sandboxes().pools().fill(PullListener.none())).isEmpty();
            try (RunningSandbox sandbox = start(other)) {
                assertThat(timings(sandbox).kind()).isEqualTo(StartKind.WARM);
            }
            awaitReady(2);
            assertThat(prepared).hasValue(3);
            keeper.sandboxes().pools().remove(SHAPE);
        }
    }

    @Test
    void aPoolWithAnotherPreparationIsMadeAnew() {
        host.here.sandboxes().pools().set(SHAPE, TestHost.pool(1, AGE), Preparation.NONE);
        assertThat(host.here.sandboxes().pools().fill(PullListener.none())).isEmpty();
        VmId before = host.vms.pooled().getFirst().id();
        host.here.sandboxes().pools().set(SHAPE, TestHost.pool(1, AGE).withCheck(List.of("true")), Preparation.NONE);
        try (RunningSandbox sandbox = start(host.here)) {
            assertThat(timings(sandbox).kind()).isEqualTo(StartKind.RESTORED);
        }
        assertThat(host.here.sandboxes().pools().fill(PullListener.none())).isEmpty();
        assertThat(host.vms.pooled()).extracting(PooledVm::id).hasSize(1).doesNotContain(before);
    }
}
