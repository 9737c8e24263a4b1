package dev.cloche.process;

/**
 * Says what may be done with a running process whose driving came to nothing. Its attempts count the owners who hold it,
 * were lost (the lease ran out without being released), or had a driver that failed; a lease that is given back counts none.
 */
public sealed interface RecoveryPolicy {
    /**
     * Another worker runs it when its owner was lost. A driver that fails ends it.
     *
     * @param attempts how many owners may be lost, from 1, before it is abandoned
     */
    record Rerunnable(int attempts) implements RecoveryPolicy {
        public Rerunnable {
            if (attempts < 1) {
                throw new ProcessException.Invalid("a process needs at least one attempt, not " + attempts);
            }
        }
    }

    /**
     * A worker runs it again when its owner was lost, and after a pause when its driver failed. When the last attempt
     * fails it has failed, and when the owner of the last is lost it is abandoned.
     *
     * @param times how often it is run again, from 1; so it has at most one attempt more
     * @param backoff the pauses after the attempts that failed
     */
    record Retrying(int times, Backoff backoff) implements RecoveryPolicy {
        public Retrying {
            if (times < 1 || times == Integer.MAX_VALUE) {
                throw new ProcessException.Invalid("a process is tried again at least once, not " + times + " times");
            }
        }
    }

    /** Nothing can run it again: it is abandoned. Workers take it only before its first owner, or when one released it. */
    record OwnerBound() implements RecoveryPolicy {}

    /** Something outside of the registry drives it: workers never take it, and it is never abandoned. */
    record ExternallyOwned() implements RecoveryPolicy {}
}
