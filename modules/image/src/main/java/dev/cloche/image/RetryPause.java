package dev.cloche.image;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** How long to wait before a request is tried again. */
final class RetryPause {
    /** No registry may make a pull sleep for longer at a time. */
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private RetryPause() {}

    /**
     * Doubles with each attempt, less a random part, so that many clients do not come back at once; what the registry
     * asks for is a lower bound.
     *
     * @param attempt tries made so far, from 1
     */
    static Duration before(int attempt, Duration first, Optional<HttpHeaders> answer) {
        long ceiling = Math.min(LONGEST.toMillis(), first.toMillis() << Math.min(attempt - 1, 20));
        Duration backoff = Duration.ofMillis(ThreadLocalRandom.current().nextLong(ceiling / 2, ceiling + 1));
        Duration asked = answer.flatMap(headers -> headers.firstValue("Retry-After"))
                .filter(value -> value.matches("[0-9]{1,9}"))
                .map(value -> Duration.ofSeconds(Long.parseLong(value)))
                .orElse(Duration.ZERO);
        Duration pause = asked.compareTo(backoff) > 0 ? asked : backoff;
        return pause.compareTo(LONGEST) > 0 ? LONGEST : pause;
    }
}
