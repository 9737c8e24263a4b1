package dev.cloche.process;

import java.time.Instant;

/**
 * A moment, as the one authority that a store has for time knows it.
 *
 * @param wall to be shown; it may jump. Whole milliseconds
 * @param epoch within which ticks can be compared: the boot of a host, or always the same
 * @param ticks milliseconds that nobody can set
 */
public record StoreTime(Instant wall, String epoch, long ticks) {}
