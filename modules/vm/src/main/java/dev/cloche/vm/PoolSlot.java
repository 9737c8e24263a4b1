package dev.cloche.vm;

import dev.cloche.base.Printable;
import java.time.Duration;

/**
 * Describes a VM's place in a warm pool, kept in its directory so that any process can find it.
 *
 * @param label what the pool knows it by: 1 to 2,048 printable characters of ASCII, of no meaning here
 * @param maxAge after which its guard ends it unless it has been claimed; at least one millisecond
 */
public record PoolSlot(String label, Duration maxAge) {
    private static final int MAX_LABEL = 2048;
    private static final Duration LONGEST = Duration.ofDays(3650);

    /** @throws VmException.Invalid if a value is outside of its range */
    public PoolSlot {
        if (label.isEmpty() || label.length() > MAX_LABEL || label.chars().anyMatch(c -> c < ' ' || c > '~')) {
            throw new VmException.Invalid(
                    "A pool entry cannot be labelled '" + Printable.of(label) + "'",
                    "Use 1 to 2,048 printable characters of ASCII.");
        }
        if (maxAge.toMillis() < 1 || maxAge.compareTo(LONGEST) > 0) {
            throw new VmException.Invalid("A pool entry cannot have an age of " + maxAge, "Use 1 ms to 3650 days.");
        }
    }
}
