package dev.cloche.pool;

/** What a shelf is to have, for a process that fills it and goes. */
public record ShelfTarget(StackKey key, Registration registration) {
    /** How many are made: without a process that stays, no demand is known. */
    int depth() {
        DepthPolicy policy = registration.depth();
        return switch (policy.sizing()) {
            case FULL -> policy.max();
            case BY_DEMAND -> Math.max(1, policy.min());
        };
    }

    /** How many may lie there. */
    int most() {
        return registration.depth().max();
    }
}
