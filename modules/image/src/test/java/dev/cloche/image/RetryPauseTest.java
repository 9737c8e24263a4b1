package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.image.registry.RetryPause;
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
        assertThat(RetryPause.asked("99999999999999999999", NOW)).contains(Duration.ofSeconds(999_999_999));
    }

    @Test
    void whatItAsksForIsALowerBound() {
        assertThat(before(1, "5")).isEqualTo(Duration.ofSeconds(5));
        assertThat(before(1, "60")).isEqualTo(RetryPause.LONGEST);
    }

    @Test
    void whatItAsksForMayBeTooLong() {
        assertThat(RetryPause.tooLong(headers("60"))).isFalse();
        assertThat(RetryPause.tooLong(headers("86400"))).isTrue();
        assertThat(RetryPause.tooLong(headers("Tue, 31 Dec 2999 00:00:00 GMT"))).isTrue();
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
        return RetryPause.before(attempt, Duration.ofMillis(1), headers(retryAfter));
    }

    private static Optional<HttpHeaders> headers(String retryAfter) {
        return Optional.of(HttpHeaders.of(Map.of("Retry-After", List.of(retryAfter)), (_, _) -> true));
    }
}
