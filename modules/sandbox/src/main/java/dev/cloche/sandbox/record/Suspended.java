package dev.cloche.sandbox.record;

import java.time.Duration;
import java.util.Optional;

/**
 * Says what a suspended sandbox goes on from.
 *
 * @param snapshot the id of the row of its memory
 * @param timeLeft of its longest duration
 */
public record Suspended(long snapshot, Optional<Duration> timeLeft) {}
