package dev.cloche.process.store;

/**
 * Says what is remembered of all ids that were pruned and whose tombstones are gone.
 *
 * @param fence none of them was given a higher one
 * @param sequence none of them had an event with a higher one
 */
public record PruneFloor(long fence, long sequence) {}
