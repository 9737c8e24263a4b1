package dev.cloche.process;

import static dev.cloche.process.ContractFixture.note;
import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.process.store.ProcessStore;
import dev.cloche.process.store.StoreClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A prune counts in time that no setting of the wall clock moves. */
public abstract class PruneClockContract {
    static final ProcessPruneRequest HALF_AN_HOUR = ProcessPruneRequest.unusedFor(Duration.ofMinutes(30));

    final SimulatedClock clock = new SimulatedClock();

    /** Opens an empty store of that clock. */
    protected abstract ProcessStore open(StoreClock time);

    @Test
    void aStepOfTheWallClockMakesNothingOlder() {
        try (ProcessRegistry registry = ProcessRegistry.over(open(clock))) {
            registry.register(registration("p"));
            registry.complete("p", success(1));
            clock.jump(Duration.ofHours(1).toMillis());
            assertThat(registry.prune(HALF_AN_HOUR)).isEmpty();
            clock.jump(-Duration.ofHours(3).toMillis());
            clock.pass(Duration.ofMinutes(20).toMillis());
            registry.append("p", note(1));
            clock.pass(Duration.ofMinutes(20).toMillis());
            assertThat(registry.prune(HALF_AN_HOUR))
                    .as("something happened to it")
                    .isEmpty();
            clock.pass(Duration.ofMinutes(10).toMillis());
            assertThat(registry.prune(HALF_AN_HOUR)).containsExactly("p");
        }
    }
}
