package dev.cloche.sandbox.reconcile;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.sandbox.MaintenanceLimits;
import dev.cloche.sandbox.MaintenanceReport;
import dev.cloche.sandbox.Termination;
import dev.cloche.sandbox.directory.OrphanDirectories;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxLocks;
import dev.cloche.sandbox.lifecycle.SandboxCleanup;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.sandbox.lifecycle.SandboxPause;
import dev.cloche.sandbox.lifecycle.SuspensionRecovery;
import dev.cloche.sandbox.record.SweepRow;
import dev.cloche.sandbox.record.SweepStore;
import dev.cloche.sandbox.snapshot.SnapshotSweep;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Sweeps once: reconciles what is recorded as active with what is there, in pages, and removes ephemeral sandboxes that
 * have ended. What resists is counted and left for the next sweep. Used once, by one thread.
 */
public final class Sweep {
    private static final int PAGE = 1_000;
    private static final System.Logger LOG = System.getLogger(Sweep.class.getName());

    private final SandboxContext context;
    private final SandboxLocks locks;
    private final SweepStore store;
    private final SnapshotSweep snapshots;
    private final SandboxCleanup cleanup;
    private final SuspensionRecovery suspensions;
    private final OrphanedHolds orphanedHolds;
    private final OrphanedVms ownerlessVms;
    private final HindranceEvents hindrances;
    private final UnfinishedTerminations unfinished;
    private final MaintenanceLimits limits;
    private final SweepNote before;
    private final Deadline deadline;
    private final Instant now;
    private final SweepFacts facts;
    private final Map<Long, Instant> waiting = new HashMap<>();
    private final List<Claimed> settling = new ArrayList<>();
    private int examined;
    private int reconciled;
    private int removed;
    private int errors;
    private boolean cut;

    public Sweep(
            SandboxContext context,
            SweepStore store,
            SnapshotSweep snapshots,
            UnfinishedTerminations unfinished,
            MaintenanceLimits limits,
            SweepNote before) {
        this.context = context;
        this.unfinished = unfinished;
        this.locks = context.locks();
        this.store = store;
        this.snapshots = snapshots;
        this.limits = limits;
        this.before = before;
        cleanup = new SandboxCleanup(context);
        suspensions = new SuspensionRecovery(context);
        orphanedHolds = new OrphanedHolds(context);
        ownerlessVms = new OrphanedVms(context.vms(), limits.ownerGrace());
        hindrances = new HindranceEvents(context.vms(), store);
        deadline = Deadline.after(limits.budget());
        now = context.clock().instant();
        facts = new SweepFacts(context, new SweepRule(now, limits.ownerGrace()), before);
    }

    /** Describes an end to record, of a sandbox that is in hand meanwhile. */
    private record Claimed(SweepStore.Settled end, OwnerLock lock) {}

    /**
     * Says what was done, and what the next sweep has to know.
     *
     * @param held the sandboxes that their guards have halted at their deadlines
     */
    public record Done(MaintenanceReport report, SweepNote note, List<Long> held) {}

    public Done run() {
        boolean removalsFirst = before.removalsFirst();
        long removedAfter = removalsFirst ? remove(before.removedAfter()) : before.removedAfter();
        long after = reconcile();
        tellHindrances();
        boolean noTimeToRemove = !removalsFirst && deadline.passed();
        if (!removalsFirst && !noTimeToRemove) {
            removedAfter = remove(removedAfter);
        }
        if (!cut && !deadline.passed()) {
            errors += new OrphanDirectories(locks.sandboxes(), store::directories, limits.ownerGrace())
                    .remove(now, deadline);
            errors += snapshots.run(deadline);
            errors += snapshots.orphans(limits.ownerGrace()).remove(now, deadline);
            orphanedHolds.remove();
        }
        return new Done(
                new MaintenanceReport(
                        MaintenanceReport.Outcome.SWEPT,
                        examined,
                        reconciled,
                        removed,
                        0,
                        errors,
                        cut || noTimeToRemove),
                new SweepNote(after, noTimeToRemove, removedAfter, waiting),
                hindrances.held());
    }

    /** The disk of the catalog may be the full one; the next sweep tries again. */
    private void tellHindrances() {
        try {
            hindrances.tell(deadline);
        } catch (ClocheException full) {
            LOG.log(Level.DEBUG, "what hinders sandboxes cannot be recorded", full);
        }
    }

    /**
     * Phase 1.
     *
     * @return the last sandbox that was looked at if not all were, and 0 otherwise
     */
    private long reconcile() {
        try {
            store.unstarted(limits.changes()).forEach(this::examine);
            long after = before.after();
            while (true) {
                List<SweepRow> page = store.active(after, PAGE);
                for (SweepRow row : page) {
                    if (deadline.passed() || reconciled + settling.size() >= limits.changes()) {
                        return cutAt(after);
                    }
                    examine(row);
                    after = row.id();
                }
                if (page.size() < PAGE) {
                    keepWaiting(Long.MAX_VALUE);
                    settle();
                    return 0;
                }
            }
        } finally {
            settling.forEach(claimed -> claimed.lock().close());
        }
    }

    private long cutAt(long after) {
        cut = true;
        keepWaiting(after);
        settle();
        return after;
    }

    /** Those that this sweep has not come to are what they were. */
    private void keepWaiting(long last) {
        before.ownerless().forEach((id, since) -> {
            if (id <= before.after() || id > last) {
                waiting.putIfAbsent(id, since);
            }
        });
    }

    private void examine(SweepRow row) {
        examined++;
        try {
            switch (facts.judge(row)) {
                case SweepRule.Verdict.Leave() -> hindrances.look(row);
                case SweepRule.Verdict.Wait() -> wait(row);
                case SweepRule.Verdict.Halt() -> {
                    hindrances.look(row);
                    SandboxPause.restore(context, row, deadline);
                }
                case SweepRule.Verdict.Recover() -> suspensions.recover(row.id(), deadline);
                case SweepRule.Verdict.End() -> unfinished.goOn(row);
                case SweepRule.Verdict.Settle(Termination termination) -> {
                    var _ = claim(row, termination);
                }
                case SweepRule.Verdict.Kill(Termination termination) -> kill(row, termination);
            }
        } catch (ClocheException resists) {
            resisted(row.name(), resists);
        }
    }

    private void wait(SweepRow row) {
        if (waiting.size() < SweepNote.MOST_OWNERLESS) {
            waiting.put(row.id(), before.ownerlessSince(row.id()).orElse(now));
        }
    }

    /**
     * Claims a sandbox as it was read. A process that holds the lock by now has it in hand, and sees to it; one that
     * had it since the row was read may have adopted, ended or removed it.
     *
     * @return whether it is in hand, and as it was read
     */
    private boolean claim(SweepRow row, Termination termination) {
        Optional<OwnerLock> lock = locks.directory(row.directory()).tryLock();
        if (lock.isEmpty()) {
            return false;
        }
        boolean still = false;
        try {
            still = store.isStill(row);
            if (still) {
                settling.add(new Claimed(new SweepStore.Settled(row, termination), lock.get()));
            } else {
                var _ = cleanup.cleanUnder(lock.get(), row.id());
            }
        } finally {
            if (!still) {
                lock.get().close();
            }
        }
        return still;
    }

    private void kill(SweepRow row, Termination termination) {
        wait(row);
        if (!claim(row, termination)) {
            return;
        }
        boolean ended = false;
        try {
            ended = ownerlessVms.end(
                    row.run().orElseThrow().vm(),
                    before.ownerlessSince(row.id()).orElse(now),
                    now,
                    deadline);
        } finally {
            if (!ended) {
                settling.removeLast().lock().close();
            }
        }
        waiting.remove(row.id());
    }

    /** Records the ends that were found, all in one transaction, each only if its sandbox is still as it was read. */
    private void settle() {
        if (!settling.isEmpty()) {
            Duration patience = Duration.ofNanos(deadline.remainingNanos());
            Optional<Integer> done =
                    store.settle(settling.stream().map(Claimed::end).toList(), patience);
            reconciled += done.orElse(0);
            cut |= done.isEmpty();
            settling.forEach(claimed -> claimed.lock().close());
            settling.clear();
        }
    }

    /**
     * Phase 2.
     *
     * @return the last sandbox that was tried if not all were, and 0 otherwise
     */
    private long remove(long from) {
        long after = from;
        List<SweepStore.Ended> ended = store.endedEphemerals(after, limits.removals());
        for (SweepStore.Ended each : ended) {
            if (deadline.passed()) {
                cut = true;
                return after;
            }
            remove(each);
            after = each.id();
        }
        boolean all = ended.size() < limits.removals();
        cut |= !all;
        return all ? 0 : after;
    }

    private void remove(SweepStore.Ended ended) {
        try {
            switch (cleanup.clean(ended.id())) {
                case REMOVED -> removed++;
                case DIR_REMOVE_FAILED -> errors++;
                case ALREADY_GONE, ALREADY_CLAIMED, SKIPPED_PERSISTENT, SKIPPED_ACTIVE, SKIPPED_LIVE_PID -> {}
            }
        } catch (ClocheException resists) {
            resisted(ended.name(), resists);
        }
    }

    private void resisted(String name, RuntimeException why) {
        errors++;
        LOG.log(Level.WARNING, "sandbox " + name + " resists maintenance, and is tried again", why);
    }
}
