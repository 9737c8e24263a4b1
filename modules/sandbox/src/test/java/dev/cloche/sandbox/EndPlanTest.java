package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.directory.EndPlan;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndPlanTest {
    private static final Duration GRACE = Duration.ofSeconds(7);

    @Test
    void aLineTellsAllOfIt() {
        EndPlan drain = EndPlan.drain(Deadline.after(Duration.ofHours(1)), GRACE);
        assertThat(EndPlan.parse(drain.text())).contains(drain);
        EndPlan stop = EndPlan.stop(GRACE);
        assertThat(EndPlan.parse(stop.text())).contains(stop);
        assertThat(new EndPlan(EndPlan.Phase.DRAIN, 12, GRACE).text()).isEqualTo("1 DRAIN 12 7000\n");
    }

    @Test
    void aLineEndsAtItsNewlineAlsoIfALongerOneHasLeftMoreBehindIt() {
        assertThat(EndPlan.parse("1 STOP 5 10\n00\n"))
                .contains(new EndPlan(EndPlan.Phase.STOP, 5, Duration.ofMillis(10)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\n",
                "1 STOP 5 10",
                "2 STOP 5 10\n",
                "1 STOP 5\n",
                "1 STOP 5 10 9\n",
                "1 WAIT 5 10\n",
                "1 STOP -5 10\n",
                "1 STOP 5 -10\n",
                "1 STOP 5 99999999999999999999\n"
            })
    void whatIsNoPlanIsNone(String text) {
        assertThat(EndPlan.parse(text)).isEmpty();
    }

    @Test
    void aGuestThatWasNotAskedYetHasAllOfItsGrace() {
        assertThat(new EndPlan(EndPlan.Phase.DRAIN, 5, GRACE).graceLeft(Long.MAX_VALUE))
                .isEqualTo(GRACE);
    }

    @Test
    void aGuestThatWasAskedHasWhatIsLeft() {
        EndPlan stop = new EndPlan(EndPlan.Phase.STOP, 1_000, GRACE);
        assertThat(stop.graceLeft(1_000 + GRACE.toNanos() - 1)).isEqualTo(Duration.ofNanos(1));
        assertThat(stop.graceLeft(1_000 + GRACE.toNanos())).isEqualTo(Duration.ZERO);
        assertThat(stop.graceLeft(1_000 + GRACE.toNanos() + 1)).isEqualTo(Duration.ZERO);
        assertThat(stop.graceLeft(0)).isEqualTo(GRACE);
    }

    @Test
    void commandsAreWaitedForUpToTheTimeOfADrainAndNotAtAllInAStop() {
        assertThat(EndPlan.drain(Deadline.after(Duration.ofHours(1)), GRACE)
                        .finish()
                        .passed())
                .isFalse();
        assertThat(EndPlan.drain(Deadline.none(), GRACE).finish().passed()).isFalse();
        assertThat(EndPlan.drain(Deadline.after(Duration.ZERO), GRACE).finish().passed())
                .isTrue();
        assertThat(new EndPlan(EndPlan.Phase.STOP, Long.MAX_VALUE, GRACE)
                        .finish()
                        .passed())
                .isTrue();
        assertThat(EndPlan.UNKNOWN.finish().passed()).isTrue();
    }

    @Test
    void timesAreNotNegative() {
        assertThatThrownBy(() -> new EndPlan(EndPlan.Phase.STOP, -1, GRACE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new EndPlan(EndPlan.Phase.STOP, 1, Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
