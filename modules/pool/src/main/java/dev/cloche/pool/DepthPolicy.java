package dev.cloche.pool;

import java.time.Duration;
import java.util.Optional;

/**
 * Says how many VMs of a key are kept ready.
 *
 * @param min never fewer, unless the key may go cold
 * @param max never more; at least one and at least {@code min}
 * @param sizing how many between the two
 * @param coldAfter without any demand for this long, none are kept until the next; absent for never
 */
public record DepthPolicy(int min, int max, Sizing sizing, Optional<Duration> coldAfter) {
    /** Says how a depth between the marks is found. */
    public enum Sizing {
        /** Keeps always {@code max}. */
        FULL,
        /** Keeps as many as are asked for in the time of one restore, and one more. */
        BY_DEMAND
    }

    /** Keeps one to four, always four. */
    public static final DepthPolicy DEFAULT = new DepthPolicy(1, 4, Sizing.FULL, Optional.empty());

    /** @throws PoolException.Invalid if the marks are in the wrong order, or a duration is not positive */
    public DepthPolicy {
        if (min < 0 || max < 1 || min > max || max > 1024) {
            throw new PoolException.Invalid(
                    "A depth of " + min + " to " + max + " is none", "Use 0 <= min <= max, 1 <= max <= 1024.");
        }
        coldAfter.ifPresent(after -> PoolConfig.positive("time to go cold", after));
    }

    /** Returns the policy that always keeps this many. */
    public static DepthPolicy of(int depth) {
        return new DepthPolicy(Math.min(1, depth), depth, Sizing.FULL, Optional.empty());
    }

    public DepthPolicy coldAfter(Duration idle) {
        return new DepthPolicy(min, max, sizing, Optional.of(idle));
    }
}
