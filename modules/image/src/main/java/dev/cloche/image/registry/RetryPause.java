package dev.cloche.image.registry;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** Says how long to wait before a request is tried again. */
public final class RetryPause {
    /** No registry may make a pull sleep for longer at a time. */
    public static final Duration LONGEST = Duration.ofSeconds(60);

    /** What a longer number counts as; some thirty years. */
    private static final long MOST_SECONDS = 999_999_999;

    private RetryPause() {}

    /** Returns whether the registry asks to be left alone for longer than a pull may wait, so that this try is the last. */
    public static boolean tooLong(Optional<HttpHeaders> answer) {
        return answer.flatMap(RetryPause::asked)
                .filter(wait -> wait.compareTo(LONGEST) > 0)
                .isPresent();
    }

    /**
     * Doubles with each attempt, less a random part, so that many clients do not come back at once; what the registry
     * asks for is a lower bound, up to {@link #LONGEST}; more than that is not waited for ({@link #tooLong}).
     *
     * @param attempt tries made so far, from 1
     */
    public static Duration before(int attempt, Duration first, Optional<HttpHeaders> answer) {
        long ceiling = Math.min(LONGEST.toMillis(), first.toMillis() << Math.min(attempt - 1, 20));
        Duration backoff = Duration.ofMillis(ThreadLocalRandom.current().nextLong(ceiling / 2, ceiling + 1));
        Duration asked = answer.flatMap(RetryPause::asked).orElse(Duration.ZERO);
        Duration pause = asked.compareTo(backoff) > 0 ? asked : backoff;
        return pause.compareTo(LONGEST) > 0 ? LONGEST : pause;
    }

    /**
     * Returns what the registry asks for: Retry-After as seconds or as a date (RFC 9110); a date that has passed asks for
     * nothing.
     */
    public static Optional<Duration> asked(HttpHeaders answer) {
        return answer.firstValue("Retry-After").flatMap(value -> asked(value.strip(), Instant.now()));
    }

    public static Optional<Duration> asked(String value, Instant now) {
        if (value.matches("[0-9]+")) {
            return Optional.of(Duration.ofSeconds(value.length() < 10 ? Long.parseLong(value) : MOST_SECONDS));
        }
        try {
            Instant until = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(value));
            return Optional.of(Duration.between(now, until)).filter(Duration::isPositive);
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
