package dev.cloche.process;

/** What may be done with a running process whose owner was lost: whose lease ran out without being released. */
public sealed interface Recovery {
    /**
     * Another worker runs it.
     *
     * @param attempts how many owners may be lost, from 1, before it is abandoned. A lease that is released gives its
     *     attempt back
     */
    record Rerunnable(int attempts) implements Recovery {
        public Rerunnable {
            if (attempts < 1) {
                throw new ProcessException.Invalid("a process needs at least one attempt, not " + attempts);
            }
        }
    }

    /** Nothing can run it again: it is abandoned. Workers take it only before its first owner, or when one released it. */
    record OwnerBound() implements Recovery {}

    /** Somebody outside of the registry drives it: workers never take it, and nobody abandons it. */
    record ExternallyOwned() implements Recovery {}
}
