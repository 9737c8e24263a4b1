package dev.cloche.vm;

import java.time.Duration;

/**
 * How patient a start is.
 *
 * @param attempts how often a boot is tried, at least once
 * @param helloWithin how long one attempt may take until the guest's hello; boots hang at times under software emulation
 *     on a loaded host
 */
public record BootPolicy(int attempts, Duration helloWithin) {
    /** Three attempts of 30 seconds: some ten times what a boot takes in software emulation. */
    public static final BootPolicy DEFAULT = new BootPolicy(3, Duration.ofSeconds(30));

    /** @throws InvalidVmSpecException if there is no attempt, or no time for one */
    public BootPolicy {
        if (attempts < 1 || helloWithin.isNegative() || helloWithin.isZero()) {
            throw new InvalidVmSpecException(
                    "A boot cannot be tried " + attempts + " times for " + helloWithin, "Give it time.");
        }
    }
}
