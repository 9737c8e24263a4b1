package dev.cloche.pool.core;

import dev.cloche.pool.ShelfTarget;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Decides what is to be done about the shelved entries of one key. Pure. */
public final class ShelfPlan {
    private static final long NOW = 0;

    private final ShelfTarget target;
    private final int opening;
    private final List<VmId> going = new ArrayList<>();
    /** Holds what is left when those have gone. */
    private final List<PooledVm> staying = new ArrayList<>();

    /**
     * @param entries all of the key
     * @param opening how many of them are being made
     */
    public ShelfPlan(ShelfTarget target, List<PooledVm> entries, int opening) {
        this.target = target;
        this.opening = opening;
        staying.addAll(entries);
        staying.removeIf(entry -> entry.stage() != PooledVm.Stage.SHELVED);
        List<EvictionPlan.Candidate> candidates = new ArrayList<>();
        staying.forEach(entry -> candidates.add(candidate(candidates.size(), entry)));
        EvictionPlan.plan(candidates, 0, target.most(), NOW)
                .forEach(each -> going.add(staying.get((int) each.number()).id()));
        staying.removeIf(entry -> going.contains(entry.id()));
    }

    private EvictionPlan.Candidate candidate(int number, PooledVm entry) {
        return new EvictionPlan.Candidate(
                number,
                NOW - entry.age().toNanos(),
                untilReplaced(entry).toNanos(),
                entry.slot().maxAge().minus(entry.age()).toNanos(),
                entry.snapshot()
                        .filter(target.registration().snapshot()::equals)
                        .isPresent());
    }

    private static Duration untilReplaced(PooledVm entry) {
        return PoolEntry.replacedAfter(entry.id(), entry.slot().maxAge()).minus(entry.age());
    }

    /** Returns entries that are too old or too many now, or whose replacement is there. */
    public List<VmId> going() {
        return List.copyOf(going);
    }

    /** Returns what is missing then; of those that are stale one at a time is replaced before it goes. */
    public RefillPlan.Need need() {
        int all = staying.size() + opening;
        int fresh = opening
                + (int) staying.stream()
                        .filter(entry -> candidate(0, entry).fresh(NOW))
                        .count();
        int room = target.depth() + (all > fresh ? 1 : 0) - all;
        int missing = Math.max(0, Math.min(target.depth() - fresh, room));
        return new RefillPlan.Need(target.key(), 0, missing, all, target.depth());
    }
}
