package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RetryPauseTest {
    private static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");

    @Test
    void aRegistryMayAskInSecondsOrByADate() {
        assertThat(RetryPause.asked("120", NOW)).contains(Duration.ofMinutes(2));
        assertThat(RetryPause.asked("Sat, 21 Nov 2026 08:01:30 GMT", NOW)).contains(Duration.ofSeconds(90));
        assertThat(RetryPause.asked("Sat, 21 Nov 2026 07:00:00 GMT", NOW)).isEmpty();
        assertThat(RetryPause.asked("soon", NOW)).isEmpty();
        assertThat(RetryPause.asked("-1", NOW)).isEmpty();
        assertThat(RetryPause.asked("99999999999999999999", NOW)).isEmpty();
    }

    @Test
    void whatItAsksForIsALowerBoundAndCapped() {
        assertThat(before(1, "5")).isEqualTo(Duration.ofSeconds(5));
        assertThat(before(1, "86400")).isEqualTo(RetryPause.LONGEST);
        assertThat(before(1, "Tue, 31 Dec 2999 00:00:00 GMT")).isEqualTo(RetryPause.LONGEST);
    }

    @Test
    void pausesDoubleUpToTheCap() {
        for (int attempt = 1; attempt < 40; attempt++) {
            Duration pause = RetryPause.before(attempt, Duration.ofMillis(300), Optional.empty());
            long ceiling = Math.min(60_000, 300L << Math.min(attempt - 1, 20));
            assertThat(pause.toMillis()).isBetween(ceiling / 2, ceiling);
        }
    }

    private static Duration before(int attempt, String retryAfter) {
        HttpHeaders headers = HttpHeaders.of(Map.of("Retry-After", List.of(retryAfter)), (_, _) -> true);
        return RetryPause.before(attempt, Duration.ofMillis(1), Optional.of(headers));
    }
}
