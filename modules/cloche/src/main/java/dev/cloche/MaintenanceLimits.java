package dev.cloche;

import java.time.Duration;

/**
 * How much one sweep over a state root may do, and how often. Of all processes on it one sweeps at a time.
 *
 * <pre>{@code
 * ClocheOptions options = ClocheOptions.ofEnvironment()
 *         .withMaintenance(MaintenanceLimits.DEFAULT.withWindow(Duration.ofMinutes(5)));
 * }</pre>
 *
 * @param budget after which a sweep stops, wherever it is; what remains is next. Positive, less than 10 seconds
 * @param changes of how many sandboxes it records the end at most; those that it only looks at do not count. Positive
 * @param removals how many ephemeral sandboxes that have ended it removes at most. Positive
 * @param window in which one sweep is made by all processes together; not negative
 */
public record MaintenanceLimits(Duration budget, int changes, int removals, Duration window) {
    /** 250 ms, 250 recorded, 250 removed, every 30 s. */
    public static final MaintenanceLimits DEFAULT = of(dev.cloche.sandbox.MaintenanceLimits.defaults());

    /** @throws IllegalArgumentException if one is out of its range */
    public MaintenanceLimits {
        var _ = room(budget, changes, removals, window);
    }

    private static MaintenanceLimits of(dev.cloche.sandbox.MaintenanceLimits room) {
        return new MaintenanceLimits(room.budget(), room.changes(), room.removals(), room.window());
    }

    private static dev.cloche.sandbox.MaintenanceLimits room(
            Duration budget, int changes, int removals, Duration window) {
        return dev.cloche.sandbox.MaintenanceLimits.defaults()
                .withBudget(budget)
                .withChanges(changes)
                .withRemovals(removals)
                .withWindow(window);
    }

    /** In the words of the room. */
    dev.cloche.sandbox.MaintenanceLimits room() {
        return room(budget, changes, removals, window);
    }

    public MaintenanceLimits withBudget(Duration value) {
        return new MaintenanceLimits(value, changes, removals, window);
    }

    public MaintenanceLimits withChanges(int value) {
        return new MaintenanceLimits(budget, value, removals, window);
    }

    public MaintenanceLimits withRemovals(int value) {
        return new MaintenanceLimits(budget, changes, value, window);
    }

    public MaintenanceLimits withWindow(Duration value) {
        return new MaintenanceLimits(budget, changes, removals, value);
    }
}
