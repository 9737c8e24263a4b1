package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.vm.testing.InMemoryFaults;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a sweep still writes beside the catalog when its runtime is closed. */
class MaintenanceCloseTest extends OnTestHost {
    private static final MaintenanceLimits SHORT = MaintenanceLimits.defaults()
            .withBudget(Duration.ofMillis(1))
            .withLease(Duration.ofMinutes(2))
            .withWindow(Duration.ZERO);

    private final HeldAtTheCopy clock = new HeldAtTheCopy();
    private SandboxManager manager;
    private SandboxMaintenance maintenance;

    @BeforeEach
    void openMaintenance() {
        manager = new SandboxManager(root.resolve("state"), host.here.catalog(), host.here.images(), host.vms, clock);
        maintenance = manager.maintenance(SHORT);
    }

    @AfterEach
    void closeManager() {
        clock.release.countDown();
        manager.close();
    }

    @Test
    void aCloseWaitsForTheCopyThatHasBegun() throws InterruptedException {
        maintenance.start();
        clock.reached.await();
        Thread closing = Thread.ofPlatform().start(maintenance::close);
        // For what may take no longer it waits a limited time: that is another state.
        Awaitility.await()
                .until(() ->
                        closing.getState() == Thread.State.WAITING || closing.getState() == Thread.State.TERMINATED);
        assertThat(closing.getState()).isEqualTo(Thread.State.WAITING);
        assertThat(copy()).doesNotExist();
        clock.release.countDown();
        closing.join();
        assertThat(copy()).exists();
    }

    @Test
    void aClosedOneBeginsNoCopyAndNoCount() {
        clock.release.countDown();
        maintenance.close();
        host.vms.faults.before(InMemoryFaults.Step.COUNT_STATE_DISK, () -> {
            throw new AssertionError("a count");
        });
        assertThat(maintenance.sweep().outcome()).isEqualTo(MaintenanceReport.Outcome.SWEPT);
        assertThat(copy()).doesNotExist();
    }

    private Path copy() {
        return root.resolve("state/catalog.db.yesterday");
    }

    /** Holds the thread that is about to make a copy of the catalog. */
    private static final class HeldAtTheCopy extends Clock {
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch release = new CountDownLatch(1);

        @Override
        public Instant instant() {
            boolean copying = StackWalker.getInstance()
                    .walk(frames ->
                            frames.anyMatch(frame -> frame.getMethodName().equals("renewCopy")));
            if (copying) {
                reached.countDown();
                try {
                    release.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            return Instant.now();
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
