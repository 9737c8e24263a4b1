package dev.cloche.pool;

import static dev.cloche.pool.Host.HANDOFF;
import static dev.cloche.pool.Host.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import dev.cloche.vm.testing.InMemoryFaults.Step;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A pool goes on when any part dies in the middle of its work, be it of an exception that was not foreseen or of an
 * error.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WarmPoolErrorsTest extends WarmPoolFixture {
    /** Both without a stack trace, because each is logged. */
    private static final class ErrorOfTheTest extends Error {
        private static final long serialVersionUID = 1;

        ErrorOfTheTest() {
            super("on purpose", null, false, false);
        }
    }

    private static final class ExceptionOfTheTest extends RuntimeException {
        private static final long serialVersionUID = 1;

        ExceptionOfTheTest() {
            super("on purpose", null, false, false);
        }
    }

    /** The next steps of a kind, as many, die. */
    private AtomicInteger die(Step step, int count, Throwable how) {
        AtomicInteger left = new AtomicInteger(count);
        host.faults.before(step, () -> {
            if (left.getAndDecrement() > 0) {
                throwAnything(how);
            }
        });
        return left;
    }

    private static void throwAnything(Throwable how) {
        if (how instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) how;
    }

    private static Throwable death(boolean error) {
        return error ? new ErrorOfTheTest() : new ExceptionOfTheTest();
    }

    @ParameterizedTest
    @EnumSource(
            value = Step.class,
            names = {"CREATE", "START"})
    void aRestoreThatDiesIsCountedAndTheNextOneComes(Step step) {
        SnapshotRef snapshot = host.snapshot("s");
        for (boolean error : new boolean[] {true, false}) {
            AtomicInteger left = die(step, 2, death(error));
            WarmPool pool = open(depth(DepthPolicy.of(2)));
            register(pool, KEY, snapshot);
            awaitDepth(pool, KEY, 2);
            assertThat(left.get()).isNegative();
            assertThat(of(pool, KEY).failures())
                    .containsExactly(Map.entry(error ? "ErrorOfTheTest" : "ExceptionOfTheTest", 2L));
            await().until(() -> host.vms() == 2);
            host.faults.atOnce(step);
            pool.unregister(KEY);
            await().until(() -> host.vms() == 0);
            pool.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTickThatDiesIsFollowedByTheNextAndRefillsGoOn(boolean error) {
        AtomicInteger looks = new AtomicInteger();
        host.faults.before(Step.POOLED, () -> {
            if (looks.incrementAndGet() % 2 == 1) {
                throwAnything(death(error));
            }
        });
        WarmPool pool = open(PoolConfigs.from(depth(DepthPolicy.of(1)))
                .refillInterval(Duration.ofMillis(20))
                .config());
        register(pool, KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 1);
        int seen = looks.get();
        await().until(() -> looks.get() >= seen + 4);
        pool.acquire(KEY, HANDOFF, soon()).close();
        awaitDepth(pool, KEY, 1);
        host.faults.atOnce(Step.POOLED);
    }

    @Test
    void aListenerThatDiesAtEverythingStopsNeitherTicksNorRefills() {
        maxAge = Duration.ofMillis(200);
        WarmPool pool = WarmPool.start(host.provider, depth(DepthPolicy.of(2)), event -> {
            throw new ErrorOfTheTest();
        });
        try (pool) {
            register(pool, KEY, host.snapshot("s"));
            await().until(() -> of(pool, KEY).evictions().getOrDefault(Eviction.AGE, 0L) >= 4);
            pool.acquire(KEY, HANDOFF, soon()).close();
            assertThat(of(pool, KEY).acquired()).isOne();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDestructionThatDiesIsTriedAgain(boolean error) {
        WarmPool pool = open(depth(DepthPolicy.of(2)));
        register(pool, KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 2);
        die(Step.DESTROY, 3, death(error));
        pool.unregister(KEY);
        await().until(() -> host.vms() == 0);
        await().until(() -> pool.metrics().quarantined() == 0);
        await().untilAsserted(() -> assertThat(events)
                .filteredOn(PoolEvent.Quarantined.class::isInstance)
                .hasSize(3));
    }

    @Test
    void anErrorInTheMiddleOfAHandOffIsThrownOnAndNothingLeaks() {
        WarmPool pool = open(depth(DepthPolicy.of(1)));
        register(pool, KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 1);
        die(Step.RESUME, 1, death(true));
        assertThatThrownBy(() -> pool.acquire(KEY, HANDOFF, soon())).isInstanceOf(ErrorOfTheTest.class);
        awaitDepth(pool, KEY, 1);
        HandOff dying = new HandOff() {
            @Override
            public void chosen(VmId vm) {
                throw new StackOverflowError("in my books");
            }

            @Override
            public GuestIdentity identity() {
                return HANDOFF.identity();
            }
        };
        assertThatThrownBy(() -> take(pool, dying)).isInstanceOf(StackOverflowError.class);
        awaitDepth(pool, KEY, 1);
        await().until(() -> host.vms() == 1);
        assertThat(pool.metrics().acquired()).isZero();
    }

    private static void take(WarmPool pool, HandOff handOff) {
        var _ = pool.acquire(KEY, handOff, soon());
    }
}
