package dev.cloche.pool.core;

import dev.cloche.pool.StackKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Decides which keys get a restore now. Pure. */
public final class RefillPlan {
    private RefillPlan() {}

    /**
     * Says what a key is short of.
     *
     * @param forWaiters restores that an acquirer waits for and that have not begun
     * @param forDepth further ones up to its target
     * @param have ready and on their way
     * @param target positive where {@code forDepth} is
     */
    public record Need(StackKey key, int forWaiters, int forDepth, int have, int target) {
        Need forWaitersAlone() {
            return new Need(key, forWaiters, 0, have, target);
        }

        /** Returns how well the key is served, to serve the poorest first. */
        private double share() {
            return target == 0 ? 1 : (double) have / target;
        }
    }

    /**
     * Plans restores: those for waiters come first, then the poorest key; of equals each in turn.
     *
     * @param places restores that may begin
     * @param vms left in the budget
     * @param memoryMiB left in the budget
     * @return a key for each restore, in order
     */
    public static List<StackKey> plan(List<Need> needs, int places, int vms, long memoryMiB) {
        List<StackKey> begun = new ArrayList<>();
        Map<StackKey, Integer> given = new HashMap<>();
        long memory = memoryMiB;
        while (begun.size() < Math.min(places, vms)) {
            long left = memory;
            var next = needs.stream()
                    .filter(need -> need.key().memoryMiB() <= left)
                    .filter(need -> given(given, need) < need.forWaiters() + need.forDepth())
                    .min(Comparator.comparing((Need need) -> given(given, need) >= need.forWaiters())
                            .thenComparingInt(need -> waiters(given, need))
                            .thenComparingDouble(need -> need.share() + share(given, need)));
            if (next.isEmpty()) {
                return List.copyOf(begun);
            }
            StackKey key = next.get().key();
            begun.add(key);
            given.merge(key, 1, Integer::sum);
            memory -= key.memoryMiB();
        }
        return List.copyOf(begun);
    }

    private static int given(Map<StackKey, Integer> given, Need need) {
        return given.getOrDefault(need.key(), 0);
    }

    /** Gives restores to keys with waiters, each key in turn. */
    private static int waiters(Map<StackKey, Integer> given, Need need) {
        return given(given, need) < need.forWaiters() ? given(given, need) : 0;
    }

    private static double share(Map<StackKey, Integer> given, Need need) {
        return need.target() == 0 ? 0 : (double) given(given, need) / need.target();
    }
}
