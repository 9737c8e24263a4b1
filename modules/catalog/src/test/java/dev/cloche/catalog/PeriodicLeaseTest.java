package dev.cloche.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.TestClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeriodicLeaseTest {
    private static final Duration LENGTH = Duration.ofSeconds(10);
    private static final Duration WINDOW = Duration.ofSeconds(30);
    private static final Duration TICK = Duration.ofMillis(1);

    @TempDir
    Path root;

    private final TestClock clock = new TestClock();
    private Catalog catalog;
    private PeriodicLease lease;

    @BeforeEach
    void open() {
        catalog = Catalog.open(root, List.of(Catalog.leases()));
        lease = new PeriodicLease(catalog, "work", LENGTH, WINDOW, clock);
    }

    @AfterEach
    void close() {
        catalog.close();
    }

    @Test
    void aMissingRowIsSeeded() {
        assertThat(rows()).isZero();
        assertThat(lease.due()).isTrue();
        assertThat(rows()).isZero();
        assertThat(lease.tryAcquire("a").orElseThrow().note()).isEmpty();
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void whileItIsHeldOrWasJustCompletedAskingWritesNothing() throws Exception {
        PeriodicLease.Held held = lease.tryAcquire("a").orElseThrow();
        byte[] log = log();
        assertThat(lease.due()).isFalse();
        assertThat(lease.tryAcquire("b")).isEmpty();
        assertThat(log()).isEqualTo(log);
        assertThat(complete(held)).isTrue();
        log = log();
        assertThat(lease.due()).isFalse();
        clock.forward(TICK);
        assertThat(lease.due()).isFalse();
        assertThat(lease.tryAcquire("b")).isEmpty();
        assertThat(log()).isEqualTo(log);
    }

    @Test
    void theGateIsReadByItsPrimaryKey() {
        List<String> plan = catalog.read(transaction -> transaction.list(
                row -> row.getString("detail"),
                "EXPLAIN QUERY PLAN SELECT holder, lease_expires_at, last_completed_at, note FROM catalog_lease"
                        + " WHERE name = ?",
                "work"));
        assertThat(plan).singleElement().asString().contains("USING PRIMARY KEY");
    }

    @Test
    void itIsFreeAgainWhenItsWindowHasPassed() {
        assertThat(complete(lease.tryAcquire("a").orElseThrow())).isTrue();
        clock.forward(WINDOW.minus(TICK));
        assertThat(lease.tryAcquire("b")).isEmpty();
        clock.forward(TICK);
        assertThat(lease.tryAcquire("b")).isPresent();
    }

    @Test
    void aHolderThatFailedOrDiedKeepsItUntilItExpires() {
        assertThat(lease.tryAcquire("a")).isPresent();
        clock.forward(LENGTH.minus(TICK));
        assertThat(lease.tryAcquire("b")).isEmpty();
        clock.forward(TICK);
        assertThat(lease.tryAcquire("b")).isPresent();
    }

    @Test
    void onlyItsHolderCompletesIt() {
        PeriodicLease.Held slow = lease.tryAcquire("a").orElseThrow();
        clock.forward(LENGTH);
        PeriodicLease.Held quick = lease.tryAcquire("a").orElseThrow();
        assertThat(complete(slow)).isFalse();
        assertThat(lease.complete(quick, "as far as 7", Duration.ZERO)).isTrue();
        assertThat(complete(quick)).isFalse();
        assertThat(lease.note()).isEqualTo("as far as 7");
        clock.forward(WINDOW);
        assertThat(lease.tryAcquire("b").orElseThrow().note()).isEqualTo("as far as 7");
    }

    /** A process that finds it due may find it taken a moment later. */
    @Test
    void whatHappensBetweenTheLookAndTheWriteCounts() {
        assertThat(complete(lease.tryAcquire("a").orElseThrow())).isTrue();
        assertThat(lookingAt(WINDOW).tryAcquire("late")).isEmpty();
        clock.forward(WINDOW);
        assertThat(lease.tryAcquire("b")).isPresent();
        assertThat(lookingAt(LENGTH.plus(WINDOW)).tryAcquire("late")).isEmpty();
    }

    /** A lease that looks whether it is due so much later than it then writes. */
    private PeriodicLease lookingAt(Duration later) {
        Iterator<Instant> times =
                List.of(clock.instant().plus(later), clock.instant()).iterator();
        Clock looking = new Clock() {
            @Override
            public Instant instant() {
                return times.next();
            }

            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }
        };
        return new PeriodicLease(catalog, "work", LENGTH, WINDOW, looking);
    }

    @ParameterizedTest
    @ValueSource(ints = {-60, 60})
    void aClockThatIsSetStopsNoProcess(int minutes) {
        assertThat(complete(lease.tryAcquire("a").orElseThrow())).isTrue();
        clock.forward(Duration.ofMinutes(minutes));
        PeriodicLease.Held held = lease.tryAcquire("b").orElseThrow();
        assertThat(complete(held)).isTrue();
        assertThat(lease.tryAcquire("c")).isEmpty();
    }

    @Test
    void anExpiryThatCannotBeIsNone() {
        assertThat(lease.tryAcquire("a")).isPresent();
        clock.back(Duration.ofHours(1));
        assertThat(lease.tryAcquire("b")).isPresent();
        assertThat(lease.tryAcquire("c")).isEmpty();
    }

    @Test
    void itWaitsForNoWriter() throws Exception {
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (Catalog other = Catalog.open(root, List.of(Catalog.leases()));
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<Boolean> writer = thread.submit(() -> other.write(transaction -> {
                writing.countDown();
                release.await();
                return true;
            }));
            writing.await();
            assertThat(lease.tryAcquire("a")).isEmpty();
            release.countDown();
            assertThat(writer.get()).isTrue();
        }
        assertThat(lease.tryAcquire("a")).isPresent();
    }

    @Test
    void ofManyWhoAskAtOnceOneGetsIt() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 0; round < 20; round++) {
                List<Callable<Optional<PeriodicLease.Held>>> askers = IntStream.range(0, 16)
                        .<Callable<Optional<PeriodicLease.Held>>>mapToObj(i -> () -> lease.tryAcquire("r" + i))
                        .toList();
                int winners = 0;
                for (Future<Optional<PeriodicLease.Held>> asker : threads.invokeAll(askers)) {
                    winners += asker.get().isPresent() ? 1 : 0;
                }
                assertThat(winners).isEqualTo(1);
                clock.forward(LENGTH);
            }
        }
    }

    private boolean complete(PeriodicLease.Held held) {
        return lease.complete(held, "", Duration.ofSeconds(5));
    }

    private byte[] log() throws Exception {
        return Files.readAllBytes(root.resolve("catalog.db-wal"));
    }

    private long rows() {
        return catalog.<Optional<Long>, RuntimeException>read(
                        transaction -> transaction.first(row -> row.getLong(1), "SELECT count(*) FROM catalog_lease"))
                .orElseThrow();
    }
}
