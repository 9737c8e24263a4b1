package dev.cloche.process.testing;

import dev.cloche.process.AwaitOutput;
import dev.cloche.process.Change;
import dev.cloche.process.ExternalRef;
import dev.cloche.process.Grant;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessPruneRequest;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.SessionScope;
import dev.cloche.process.WakeDelivery;
import dev.cloche.process.store.LeaseRow;
import dev.cloche.process.store.PauseRow;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.PruneFloor;
import dev.cloche.process.store.StoreTime;
import dev.cloche.process.store.StoreTransaction;
import dev.cloche.process.store.Tombstone;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;

/** The writes of an {@link InMemoryProcessStore}, each with what undoes it. Used under its lock. */
final class InMemoryTransaction extends InMemoryReads implements StoreTransaction {
    private final Deque<Runnable> undo = new ArrayDeque<>();
    private final List<Change> changes = new ArrayList<>();

    InMemoryTransaction(InMemoryTables tables, StoreTime now) {
        super(tables, now);
    }

    /** Undoes what was done, the last first. */
    void rollBack() {
        while (!undo.isEmpty()) {
            undo.pop().run();
        }
    }

    List<Change> changes() {
        return changes;
    }

    @Override
    public Optional<ProcessHead> lock(String id) {
        return head(id);
    }

    @Override
    public boolean insertProcess(ProcessRegistration registration, String hash, long fence, long lastSequence) {
        if (tables.processes.containsKey(registration.id())) {
            return false;
        }
        InMemoryRow row = new InMemoryRow(++tables.lastKey, registration, hash, fence, lastSequence, now().wall());
        tables.processes.put(registration.id(), row);
        undo.push(() -> tables.processes.remove(registration.id()));
        return true;
    }

    @Override
    public void setExternalRef(ProcessHead process, ExternalRef ref) {
        InMemoryRow row = touched(process);
        Optional<ExternalRef> before = row.externalRef;
        row.externalRef = Optional.of(ref);
        undo.push(() -> row.externalRef = before);
    }

    @Override
    public void insertEvent(ProcessHead process, ProcessEvent event) {
        InMemoryRow row = touched(process);
        ProcessHead before = row.head;
        if (event.sequence() != before.lastSequence() + 1) {
            throw new IllegalStateException("event " + event.sequence() + " is not the next of " + process.id());
        }
        row.head = before.withLastSequence(event.sequence());
        row.events.add(event);
        event.replayKey().ifPresent(key -> row.byReplayKey.put(key, event));
        undo.push(() -> {
            row.head = before;
            row.events.removeLast();
            event.replayKey().ifPresent(row.byReplayKey::remove);
        });
    }

    @Override
    public void end(ProcessHead process, AwaitOutput output) {
        InMemoryRow row = tables.row(process);
        ProcessHead before = row.head;
        Optional<AwaitOutput> outputBefore = row.output;
        Optional<StoreTime> idleBefore = row.idleSince;
        row.head = before.withStatus(output.status());
        row.output = Optional.of(output);
        row.idleSince = Optional.of(now());
        undo.push(() -> {
            row.head = before;
            row.output = outputBefore;
            row.idleSince = idleBefore;
        });
    }

    @Override
    public void setLease(ProcessHead process, Optional<LeaseRow> lease, long fence, int attempts) {
        InMemoryRow row = tables.row(process);
        ProcessHead before = row.head;
        Optional<Instant> startedBefore = row.startedAt;
        row.head = before.withLease(lease, fence, attempts);
        if (row.output.isEmpty()) {
            row.startedAt = row.startedAt.or(() -> lease.map(LeaseRow::claimedAt));
        }
        undo.push(() -> {
            row.head = before;
            row.startedAt = startedBefore;
        });
    }

    @Override
    public void setPause(ProcessHead process, Optional<PauseRow> pause, int returns, Optional<String> why) {
        InMemoryRow row = tables.row(process);
        ProcessHead before = row.head;
        Optional<String> whyBefore = row.returnedFor;
        row.head = before.withPause(pause, returns);
        row.returnedFor = why.or(() -> whyBefore);
        undo.push(() -> {
            row.head = before;
            row.returnedFor = whyBefore;
        });
    }

    @Override
    public void setLost(ProcessHead process, String owner) {
        InMemoryRow row = tables.row(process);
        Optional<String> before = row.lostOwner;
        row.lostOwner = Optional.of(owner);
        undo.push(() -> row.lostOwner = before);
    }

    @Override
    public void insertWake(ProcessHead process, WakeDelivery wake) {
        InMemoryRow row = tables.row(process);
        row.wakes.put(wake.sequence(), new InMemoryRow.Outgoing(wake, false));
        undo.push(() -> row.wakes.remove(wake.sequence()));
    }

    @Override
    public void ackWake(ProcessHead process, long sequence) {
        InMemoryRow row = tables.row(process);
        InMemoryRow.Outgoing before = row.wakes.get(sequence);
        if (before != null) {
            row.wakes.put(sequence, new InMemoryRow.Outgoing(before.wake(), true));
            undo.push(() -> row.wakes.put(sequence, before));
        }
    }

    @Override
    public void putGrant(ProcessHead process, Grant grant) {
        InMemoryRow row = tables.row(process);
        Optional<Grant> before = Optional.ofNullable(row.grants.put(grant.scope(), grant));
        undo.push(() -> before.ifPresentOrElse(
                old -> row.grants.put(old.scope(), old), () -> row.grants.remove(grant.scope())));
    }

    @Override
    public void deleteGrant(ProcessHead process, SessionScope scope) {
        delete(tables.row(process), scope);
    }

    private void delete(InMemoryRow row, SessionScope scope) {
        Grant before = row.grants.remove(scope);
        if (before != null) {
            undo.push(() -> row.grants.put(scope, before));
        }
    }

    @Override
    public List<Grant> deleteGrantsOfSession(String session) {
        List<Grant> deleted = new ArrayList<>();
        for (InMemoryRow row : tables.processes.values()) {
            for (Grant grant : List.copyOf(row.grants.values())) {
                if (grant.scope().session().equals(session)) {
                    delete(row, grant.scope());
                    deleted.add(grant);
                }
            }
        }
        return List.copyOf(deleted);
    }

    @Override
    public int deleteWakesOfSession(String session) {
        int deleted = 0;
        for (InMemoryRow row : tables.processes.values()) {
            for (InMemoryRow.Outgoing outgoing : List.copyOf(row.wakes.values())) {
                long sequence = outgoing.wake().sequence();
                if (!outgoing.acknowledged()
                        && outgoing.wake().target().session().equals(session)) {
                    row.wakes.remove(sequence);
                    undo.push(() -> row.wakes.put(sequence, outgoing));
                    deleted++;
                }
            }
        }
        return deleted;
    }

    @Override
    public List<ProcessHead> lockClaimable(String inputType, Set<String> hostProfiles, int limit) {
        List<ProcessHead> found = new ArrayList<>();
        // Those that lost an owner come first.
        BiPredicate<InMemoryRow, Boolean> wanted = (row, lost) ->
                row.head.lease().isPresent() == lost && row.isForWorkers(inputType, hostProfiles) && !row.isKept(now());
        for (boolean lost : new boolean[] {true, false}) {
            for (InMemoryRow row : tables.processes.values()) {
                if (found.size() < limit && wanted.test(row, lost)) {
                    found.add(row.head());
                }
            }
        }
        return List.copyOf(found);
    }

    @Override
    public List<ProcessHead> lockPrunable(ProcessPruneRequest request, Optional<String> after, int limit) {
        List<ProcessHead> found = new ArrayList<>();
        for (InMemoryRow row : tables.after(after)) {
            if (found.size() < limit && isPrunable(row, request)) {
                found.add(row.head());
            }
        }
        return List.copyOf(found);
    }

    private long age(InMemoryRow row) {
        return Math.max(0, now().ticks() - row.idleSince.orElseThrow().ticks());
    }

    private boolean isPrunable(InMemoryRow row, ProcessPruneRequest request) {
        return row.output.isPresent()
                && age(row) >= request.unusedMillis()
                && (request.statuses().isEmpty()
                        || request.statuses().contains(row.output.get().status()))
                && (request.inputTypes().isEmpty()
                        || request.inputTypes()
                                .contains(row.registration.input().type()))
                && (request.granted() || row.grants.isEmpty())
                && !row.hasPendingWake();
    }

    @Override
    public void bury(ProcessHead process, Tombstone tombstone) {
        InMemoryRow row = tables.row(process);
        Optional<Tombstone> before = tombstone(process.id());
        tables.processes.remove(process.id());
        tables.tombstones.put(process.id(), tombstone);
        tables.feed.bury(process.id(), undo::push);
        undo.push(() -> {
            tables.processes.put(process.id(), row);
            before.ifPresentOrElse(
                    old -> tables.tombstones.put(process.id(), old), () -> tables.tombstones.remove(process.id()));
        });
    }

    @Override
    public void forget(int remembered) {
        PruneFloor before = tables.floor;
        List<Tombstone> oldest = tables.tombstones.values().stream()
                .sorted(Comparator.comparing(Tombstone::prunedAt))
                .limit(Math.max(0, tables.tombstones.size() - remembered))
                .toList();
        for (Tombstone stone : oldest) {
            tables.tombstones.remove(stone.id());
            tables.floor = new PruneFloor(
                    Math.max(tables.floor.fence(), stone.fence()),
                    Math.max(tables.floor.sequence(), stone.lastSequence()));
        }
        undo.push(() -> {
            oldest.forEach(stone -> tables.tombstones.put(stone.id(), stone));
            tables.floor = before;
        });
        tables.feed.forget(remembered, undo::push);
    }

    @Override
    public void change(Change change) {
        tables.feed.add(change, undo::push);
        changes.add(change);
    }

    private InMemoryRow touched(ProcessHead process) {
        InMemoryRow row = tables.row(process);
        var before = row.updatedAt;
        Optional<StoreTime> idleBefore = row.idleSince;
        row.updatedAt = now().wall();
        row.idleSince = idleBefore.map(_ -> now());
        undo.push(() -> {
            row.updatedAt = before;
            row.idleSince = idleBefore;
        });
        return row;
    }
}
