package dev.cloche.vm;

import java.time.Duration;

/**
 * Says how patient a start is.
 *
 * @param attempts how often a boot is tried, at least once
 * @param helloWithin how long the first attempt may take until the guest's hello, and each further one twice as long as the
 *     one before: boots hang at times under software emulation on a loaded host, and that host is slow
 */
public record BootPolicy(int attempts, Duration helloWithin) {
    private static final int MOST_DOUBLINGS = 10;

    /** Three attempts of 30, 60 and 120 seconds; in software emulation a boot takes one or two on a quiet host. */
    public static final BootPolicy DEFAULT = new BootPolicy(3, Duration.ofSeconds(30));

    /** @throws VmException.Invalid if there is no attempt, or no time for one */
    public BootPolicy {
        if (attempts < 1 || helloWithin.isNegative() || helloWithin.isZero()) {
            throw new VmException.Invalid(
                    "A boot cannot be tried " + attempts + " times for " + helloWithin, "Give it time.");
        }
    }

    /**
     * Returns how long a guest has for its hello at an attempt.
     *
     * @param attempt from 1
     */
    public Duration helloWithin(int attempt) {
        return helloWithin.multipliedBy(1L << Math.min(attempt - 1, MOST_DOUBLINGS));
    }
}
