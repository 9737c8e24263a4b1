package dev.cloche.process;

import dev.cloche.process.store.StoreTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the callers of one process know of it, and what can therefore not be: its own account of leases, pauses and logs, with
 * none of the registry's rules. A call whose outcome is not known leaves two possibilities, and both are allowed.
 */
final class HistoryLedger {
    private static final long DAY_MILLIS = 86_400_000;
    private static final Set<String> TERMINAL =
            Set.of(EventType.COMPLETED, EventType.FAILED, EventType.CANCELLED, EventType.ABANDONED);

    /** A lease that an owner has, or perhaps has. Its end lies between two ticks if a renewal is in doubt. */
    private static final class Holder {
        private final String owner;
        private final String token;
        private final String epoch;
        private long earliestEnd;
        private long latestEnd;

        Holder(String owner, String token, String epoch, long end) {
            this.owner = owner;
            this.token = token;
            this.epoch = epoch;
            this.earliestEnd = end;
            this.latestEnd = end;
        }

        boolean surelyLive(StoreTime now) {
            return live(earliestEnd, now) && live(latestEnd, now);
        }

        boolean maybeLive(StoreTime now) {
            return live(earliestEnd, now) || live(latestEnd, now);
        }

        private boolean live(long end, StoreTime now) {
            return epoch.equals(now.epoch()) && end > now.ticks() && end - now.ticks() <= DAY_MILLIS;
        }
    }

    private final String id;
    private final Map<Long, String> events = new TreeMap<>();
    private Optional<AwaitOutput> output = Optional.empty();
    private Optional<Holder> holder = Optional.empty();
    private boolean holderMayBeGone;
    private final List<Holder> maybes = new ArrayList<>();
    private final PauseLedger pauses = new PauseLedger();
    /** Tokens of those whose failure may be recorded already. */
    private final Set<String> failed = new HashSet<>();

    private boolean mayBePruned;
    private long fence;
    private long sequence;

    HistoryLedger(String id) {
        this.id = id;
    }

    /** Something that cannot be was seen. */
    static final class Violation extends RuntimeException {
        Violation(String what) {
            super(what);
        }
    }

    /** A worker was offered the process, which must have no pause then. */
    void offered(Lease lease, long ttl, StoreTime now) {
        if (pauses.surelyPaused(now)) {
            throw new Violation(lease.owner() + " was offered " + id + " at " + now + ", in its pause");
        }
        claimed(lease, ttl, now);
    }

    void claimed(Lease lease, long ttl, StoreTime now) {
        if (lease.fence() <= fence) {
            throw new Violation("the fence of " + id + " is " + lease.fence() + " after " + fence);
        }
        fence = lease.fence();
        holder.filter(other -> !holderMayBeGone && !other.owner.equals(lease.owner()) && other.surelyLive(now))
                .ifPresent(other -> {
                    throw new Violation(lease.owner() + " got " + id + ", which " + other.owner + " holds");
                });
        setHolder(Optional.of(new Holder(lease.owner(), lease.token(), now.epoch(), now.ticks() + ttl)));
        pauses.ended();
    }

    void perhapsClaimed(String owner, long ttl, StoreTime now) {
        boolean impossible = maybes.isEmpty()
                && !holderMayBeGone
                && holder.filter(other -> !other.owner.equals(owner) && other.surelyLive(now))
                        .isPresent();
        if (!impossible) {
            holderMayBeGone = true;
            pauses.perhapsEnded();
            maybes.add(new Holder(owner, "", now.epoch(), now.ticks() + ttl));
        }
    }

    void refused(String owner, StoreTime now) {
        boolean somebody = holder.filter(other -> !other.owner.equals(owner) && other.maybeLive(now))
                        .isPresent()
                || maybes.stream().anyMatch(other -> !other.owner.equals(owner) && other.maybeLive(now));
        if (!somebody) {
            throw new Violation(id + " is refused to " + owner + " and not held");
        }
    }

    /** The registry has accepted a lease. */
    void accepted(Lease lease, StoreTime now) {
        Holder current = holder.filter(other -> other.token.equals(lease.token()))
                .orElseThrow(() -> new Violation(lease + " was accepted, and is not the latest"));
        if (!current.maybeLive(now)) {
            throw new Violation(lease + " was accepted at " + now + ", and had run out");
        }
        holderMayBeGone = false;
        maybes.clear();
    }

    void lost(Lease lease, StoreTime now) {
        boolean surely = holder.filter(other -> other.token.equals(lease.token()) && other.surelyLive(now))
                .isPresent();
        if (surely && !holderMayBeGone) {
            throw new Violation(lease + " is held at " + now + ", and was refused");
        }
    }

    void renewed(Lease lease, long ttl, StoreTime now) {
        accepted(lease, now);
        Holder current = holder.orElseThrow();
        current.earliestEnd = now.ticks() + ttl;
        current.latestEnd = current.earliestEnd;
    }

    void perhapsRenewed(Lease lease, long ttl, StoreTime now) {
        holder.filter(other -> other.token.equals(lease.token())).ifPresent(current -> {
            long end = now.ticks() + ttl;
            current.earliestEnd = Math.min(current.earliestEnd, end);
            current.latestEnd = Math.max(current.latestEnd, end);
        });
    }

    void released(Lease lease) {
        if (isHolder(lease)) {
            // What may have taken its place is still there.
            holder = Optional.empty();
        }
    }

    void perhapsReleased(Lease lease) {
        if (isHolder(lease)) {
            holderMayBeGone = true;
        }
    }

    /** It was given back with a pause, if it was held; what has ended has no pause, and is offered to no worker either. */
    void paused(Lease lease, Backoff backoff, StoreTime now) {
        if (isHolder(lease) && !holderMayBeGone) {
            pauses.began(now, backoff);
        } else {
            pauses.perhapsBegan(now, backoff);
        }
        released(lease);
    }

    void perhapsPaused(Lease lease, Backoff backoff, StoreTime now) {
        if (isHolder(lease)) {
            pauses.perhapsBegan(now, backoff);
        }
        perhapsReleased(lease);
    }

    /** A failed attempt was recorded, now or before. */
    void triedAgain(Lease lease, StoreTime now) {
        if (failed.add(lease.token())) {
            accepted(lease, now);
            pauses.began(now, HistorySimulator.RETRIES.backoff());
            released(lease);
        } else {
            perhapsTriedAgain(lease, now);
        }
    }

    void perhapsTriedAgain(Lease lease, StoreTime now) {
        failed.add(lease.token());
        perhapsPaused(lease, HistorySimulator.RETRIES.backoff(), now);
    }

    private boolean isHolder(Lease lease) {
        return holder.filter(other -> other.token.equals(lease.token())).isPresent();
    }

    /** An owner that held it without knowing may have ended it, or the registry may have given it up. */
    void appended(AppendResult appended) {
        ProcessEvent event = appended.event();
        if (event.sequence() <= sequence) {
            throw new Violation("the event " + event.sequence() + " of " + id + " has the number of an earlier life");
        }
        String before = events.putIfAbsent(event.sequence(), event.payloadHash());
        if (before != null && (!appended.replayed() || !before.equals(event.payloadHash()))) {
            throw new Violation("the event " + event.sequence() + " of " + id + " was given twice");
        }
    }

    void ended(AwaitOutput with) {
        output.filter(before -> !before.equals(with)).ifPresent(before -> {
            throw new Violation(id + " ended with " + with + " after " + before);
        });
        output = Optional.of(with);
    }

    void perhapsPruned() {
        mayBePruned = true;
    }

    void pruned() {
        sequence = Math.max(
                sequence, events.keySet().stream().mapToLong(each -> each).max().orElse(0));
        events.clear();
        output = Optional.empty();
        setHolder(Optional.empty());
        pauses.ended();
        mayBePruned = false;
    }

    /** Holds what the registry shows against what it has acknowledged. */
    void inspect(ProcessRegistry registry, StoreTime now) {
        Optional<ProcessRecord> found = registry.get(id);
        if (mayBePruned && found.isEmpty()) {
            pruned();
        }
        mayBePruned = false;
        ProcessRecord record = found.orElse(null);
        if (record == null) {
            if (!events.isEmpty()) {
                throw new Violation(id + " is lost");
            }
            return;
        }
        List<ProcessEvent> log = registry.eventsAfter(id, 0, 10_000);
        Map<Long, String> hashes = new TreeMap<>();
        log.forEach(event -> hashes.put(event.sequence(), event.payloadHash()));
        if (!hashes.entrySet().containsAll(events.entrySet())) {
            throw new Violation(id + " has lost an event: " + events.keySet() + ", found " + hashes.keySet());
        }
        if (log.size() != record.events() || hashes.size() != log.size()) {
            throw new Violation(id + " has a log with gaps: " + hashes.keySet());
        }
        long ends =
                log.stream().filter(event -> TERMINAL.contains(event.type())).count();
        if (ends != (record.status().terminal() ? 1 : 0)) {
            throw new Violation(id + " is " + record.status() + " and has " + ends + " ends in its log");
        }
        output.filter(known -> !record.output().equals(Optional.of(known))).ifPresent(known -> {
            throw new Violation(id + " ended with " + known + " and shows " + record.output());
        });
        output = record.output();
        events.putAll(hashes);
        inspectAttempts(record, log);
        registry.view(id).ifPresent(view -> inspectPause(view.phase(), now));
    }

    private void inspectAttempts(ProcessRecord record, List<ProcessEvent> log) {
        long failures = log.stream()
                .filter(event -> event.type().equals(EventType.ATTEMPT_FAILED))
                .count();
        int most = record.registration().recovery() instanceof RecoveryPolicy.Retrying retrying ? retrying.times() : 0;
        if (failures > most) {
            throw new Violation(id + " was tried again " + failures + " times");
        }
    }

    private void inspectPause(ProcessPhase phase, StoreTime now) {
        if (phase == ProcessPhase.PAUSED && !pauses.perhapsPaused(now)) {
            throw new Violation(id + " is paused at " + now + ", for longer than any pause that it was given");
        }
        if (phase != ProcessPhase.PAUSED && phase != ProcessPhase.ENDED && pauses.surelyPaused(now)) {
            throw new Violation(id + " is " + phase + " at " + now + ", in its pause");
        }
    }

    private void setHolder(Optional<Holder> now) {
        holder = now;
        holderMayBeGone = false;
        maybes.clear();
    }
}
