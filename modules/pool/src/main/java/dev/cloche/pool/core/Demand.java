package dev.cloche.pool.core;

import dev.cloche.pool.DepthPolicy;
import java.time.Duration;

/**
 * Measures the demand for a key: arrivals, whose weight halves in a minute, and how long restores take. Pure; times are
 * monotonic nanoseconds.
 *
 * @param arrivals weighted by how recent they are
 * @param at when they were weighted
 * @param latest when an acquirer asked last, or the key was registered
 * @param restoreSeconds a moving average; zero for not known yet
 */
record Demand(double arrivals, long at, long latest, double restoreSeconds) {
    private static final double HALF_LIFE_SECONDS = 60;
    private static final double WEIGHT_OF_NEWEST = 0.3;

    static Demand none(long now) {
        return new Demand(0, now, now, 0);
    }

    Demand arrived(long now) {
        return new Demand(weighted(now) + 1, now, now, restoreSeconds);
    }

    Demand restored(Duration took) {
        double seconds = took.toNanos() / 1e9;
        double average =
                restoreSeconds == 0 ? seconds : restoreSeconds * (1 - WEIGHT_OF_NEWEST) + seconds * WEIGHT_OF_NEWEST;
        return new Demand(arrivals, at, latest, average);
    }

    /** Returns how many entries are to be kept ready now. */
    int target(DepthPolicy policy, long now) {
        if (policy.coldAfter().filter(idle -> now - latest >= idle.toNanos()).isPresent()) {
            return 0;
        }
        return switch (policy.sizing()) {
            case FULL -> policy.max();
            case BY_DEMAND -> {
                double perSecond = weighted(now) * Math.log(2) / HALF_LIFE_SECONDS;
                double wanted = Math.ceil(perSecond * restoreSeconds) + 1;
                yield (int) Math.clamp(wanted, policy.min(), policy.max());
            }
        };
    }

    private double weighted(long now) {
        return arrivals * Math.pow(0.5, (now - at) / 1e9 / HALF_LIFE_SECONDS);
    }
}
