package dev.cloche.pool.core;

import dev.cloche.pool.Eviction;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Decides which ready entries of one key are evicted now. Pure; times are monotonic nanoseconds. */
final class EvictionPlan {
    private EvictionPlan() {}

    /** Describes an entry, as far as it matters here. {@code current}: whether its snapshot is the registered one. */
    record Candidate(long number, long bornAt, long replaceAt, long endAt, boolean current) {
        boolean fresh(long now) {
            return current && now - replaceAt < 0;
        }

        boolean tooOld(long now) {
            return now - endAt >= 0;
        }
    }

    record Going(long number, Eviction cause) {}

    /**
     * Evicts what is too old, what is stale when its replacement is there, and the oldest of what is too many.
     *
     * @param checking entries that are not ready just now and will be
     */
    static List<Going> plan(List<Candidate> ready, int checking, int target, long now) {
        List<Going> going = new ArrayList<>();
        List<Candidate> stay = new ArrayList<>();
        for (Candidate candidate : ready) {
            if (candidate.tooOld(now)) {
                going.add(new Going(candidate.number(), Eviction.AGE));
            } else {
                stay.add(candidate);
            }
        }
        stay.sort(Comparator.comparing((Candidate candidate) -> candidate.fresh(now))
                .thenComparingLong(candidate -> candidate.bornAt() - now)
                .thenComparingLong(Candidate::number));
        int tooMany = Math.min(stay.size(), stay.size() + checking - target);
        for (int i = 0; i < tooMany; i++) {
            Candidate candidate = stay.get(i);
            going.add(new Going(candidate.number(), cause(candidate, now)));
        }
        return List.copyOf(going);
    }

    private static Eviction cause(Candidate candidate, long now) {
        if (candidate.fresh(now)) {
            return Eviction.SURPLUS;
        }
        return candidate.current() ? Eviction.AGE : Eviction.REPLACED;
    }
}
