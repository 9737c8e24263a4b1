package dev.cloche.process.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.process.HistorySimulator;
import dev.cloche.process.MutatedStore;
import dev.cloche.process.SimulatedClock;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random histories, see {@link HistorySimulator}. One that fails names its seed; {@code -Dcloche.history.seed=N} runs that
 * one alone.
 */
class HistoryTest {
    private static final int STEPS = 60;

    @Test
    void noHistoryBreaksAPromise() {
        Optional<Long> only = Optional.ofNullable(Long.getLong("cloche.history.seed"));
        long from = only.orElse(0L);
        long to = only.map(seed -> seed + 1).orElse(12_000L);
        for (long seed = from; seed < to; seed++) {
            assertThat(inMemory(seed)).as("history of seed %d", seed).isEmpty();
        }
    }

    @Test
    @Tag("slow")
    void noLongHistoryBreaksAPromise() {
        for (long seed = 0; seed < 60_000; seed++) {
            SimulatedClock clock = new SimulatedClock();
            assertThat(new HistorySimulator(seed, new InMemoryProcessStore(clock), clock, true).run(4 * STEPS))
                    .as("history of seed %d", seed)
                    .isEmpty();
        }
    }

    @Test
    void aHistoryIsTheSameForTheSameSeed() {
        long seed = firstSeedThatShows(MutatedStore.Fault.LEASES_NEVER_EXPIRE);
        // But for the tokens, which are never printed.
        assertThat(mutated(MutatedStore.Fault.LEASES_NEVER_EXPIRE, seed))
                .isEqualTo(mutated(MutatedStore.Fault.LEASES_NEVER_EXPIRE, seed));
    }

    @ParameterizedTest
    @EnumSource
    void aBrokenRuleIsFoundOut(MutatedStore.Fault fault) {
        var _ = firstSeedThatShows(fault);
    }

    private static long firstSeedThatShows(MutatedStore.Fault fault) {
        long seed = 0;
        while (mutated(fault, seed).isEmpty()) {
            seed++;
            assertThat(seed).as("histories without a violation").isLessThan(2_000);
        }
        return seed;
    }

    private static Optional<String> inMemory(long seed) {
        SimulatedClock clock = new SimulatedClock();
        return new HistorySimulator(seed, new InMemoryProcessStore(clock), clock, true).run(STEPS);
    }

    private static Optional<String> mutated(MutatedStore.Fault fault, long seed) {
        SimulatedClock clock = new SimulatedClock();
        MutatedStore store = new MutatedStore(new InMemoryProcessStore(clock), fault, seed);
        return new HistorySimulator(seed, store, clock, true)
                .showing(store::shown)
                .run(STEPS);
    }
}
