package dev.cloche.sandbox;

import java.time.Duration;

/**
 * Limits what one sweep over a state root may do, and how often. Of all processes on it one sweeps at a time.
 *
 * @param budget after which it stops, wherever it is; what remains is next
 * @param changes how many stale sandboxes it settles at most; those that it only looks at do not count
 * @param removals how many ephemeral sandboxes that have ended it removes at most
 * @param window in which one sweep is made by all processes together
 * @param lease how long a sweep may take before another process may begin one; longer than {@code budget}
 * @param ownerGrace that an attached VM has from the death of its owner on, in which its guard ends it, or within
 *     another one if it had been adopted; a sweep ends what it has seen without an owner for so long
 */
public record MaintenanceLimits(
        Duration budget, int changes, int removals, Duration window, Duration lease, Duration ownerGrace) {
    private static final MaintenanceLimits DEFAULT = new MaintenanceLimits(
            Duration.ofMillis(250), 250, 250, Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(10));

    public MaintenanceLimits {
        if (!budget.isPositive() || window.isNegative() || ownerGrace.isNegative() || lease.compareTo(budget) <= 0) {
            throw new IllegalArgumentException(
                    "no limits: " + budget + ", " + window + ", " + lease + ", " + ownerGrace);
        }
        if (changes < 1 || removals < 1) {
            throw new IllegalArgumentException("a sweep that may do nothing: " + changes + ", " + removals);
        }
    }

    /** Returns the defaults: 250 ms, 250 changed, 250 removed, every 30 s, a lease of 10 s, and 10 s for guards. */
    public static MaintenanceLimits defaults() {
        return DEFAULT;
    }

    public MaintenanceLimits withBudget(Duration value) {
        return new MaintenanceLimits(value, changes, removals, window, lease, ownerGrace);
    }

    public MaintenanceLimits withChanges(int value) {
        return new MaintenanceLimits(budget, value, removals, window, lease, ownerGrace);
    }

    public MaintenanceLimits withRemovals(int value) {
        return new MaintenanceLimits(budget, changes, value, window, lease, ownerGrace);
    }

    public MaintenanceLimits withWindow(Duration value) {
        return new MaintenanceLimits(budget, changes, removals, value, lease, ownerGrace);
    }

    public MaintenanceLimits withLease(Duration value) {
        return new MaintenanceLimits(budget, changes, removals, window, value, ownerGrace);
    }

    public MaintenanceLimits withOwnerGrace(Duration value) {
        return new MaintenanceLimits(budget, changes, removals, window, lease, value);
    }
}
