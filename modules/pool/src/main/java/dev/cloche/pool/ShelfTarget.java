package dev.cloche.pool;

/** Says what a shelf is to have, for a process that fills it and goes. */
public record ShelfTarget(StackKey key, Registration registration) {
    /** Returns how many are made: without a process that stays, no demand is known. */
    public int depth() {
        DepthPolicy policy = registration.depth();
        return switch (policy.sizing()) {
            case FULL -> policy.max();
            case BY_DEMAND -> Math.max(1, policy.min());
        };
    }

    /** Returns how many may lie there. */
    public int most() {
        return registration.depth().max();
    }
}
