package dev.cloche.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTest {
    @ParameterizedTest
    @CsvSource({
        "PT0S, 0s",
        "PT-30S, -30s",
        "PT0.5S, 500ms",
        "PT-0.5S, -500ms",
        "PT1.000000001S, 1000000001ns",
        "PT90S, 90s",
        "PT5M, 5m",
        "PT2H, 2h",
        "PT36H, 36h",
        "P3651D, 3651d"
    })
    void isAWholeNumberOfTheLargestUnit(Duration duration, String text) {
        assertThat(DurationText.of(duration)).isEqualTo(text);
    }

    @Test
    void hasSomethingToSayOfEveryDuration() {
        assertThat(DurationText.of(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)))
                .isEqualTo(Long.MAX_VALUE + "s");
        assertThat(DurationText.of(Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo(Long.MIN_VALUE + "s");
        assertThat(DurationText.of(Duration.ofNanos(1))).isEqualTo("1ns");
    }
}
