package dev.cloche.process.testing;

import dev.cloche.process.ChangePage;
import dev.cloche.process.Grant;
import dev.cloche.process.GrantedProcess;
import dev.cloche.process.ProcessCount;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessQuery;
import dev.cloche.process.ProcessRecord;
import dev.cloche.process.SessionScope;
import dev.cloche.process.WakeDelivery;
import dev.cloche.process.WakeEvent;
import dev.cloche.process.store.CodePoints;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.ProcessSnapshot;
import dev.cloche.process.store.PruneFloor;
import dev.cloche.process.store.StoreReads;
import dev.cloche.process.store.StoreTime;
import dev.cloche.process.store.Tombstone;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The reads of an {@link InMemoryProcessStore}. Used under its lock. */
class InMemoryReads implements StoreReads {
    private static final Comparator<WakeDelivery> BY_EVENT =
            Comparator.comparing(WakeDelivery::processId, CodePoints.ORDER).thenComparingLong(WakeDelivery::sequence);

    final InMemoryTables tables;
    private final StoreTime now;

    InMemoryReads(InMemoryTables tables, StoreTime now) {
        this.tables = tables;
        this.now = now;
    }

    @Override
    public StoreTime now() {
        return now;
    }

    @Override
    public Optional<ProcessHead> head(String id) {
        return Optional.ofNullable(tables.processes.get(id)).map(InMemoryRow::head);
    }

    @Override
    public Optional<ProcessRecord> record(String id) {
        return Optional.ofNullable(tables.processes.get(id)).map(InMemoryRow::record);
    }

    @Override
    public Optional<ProcessSnapshot> snapshot(String id) {
        return Optional.ofNullable(tables.processes.get(id)).map(InMemoryRow::snapshot);
    }

    @Override
    public List<ProcessSnapshot> snapshots(ProcessQuery query) {
        List<ProcessSnapshot> page = new ArrayList<>();
        for (InMemoryRow row : tables.after(query.after())) {
            if (page.size() == query.limit()) {
                break;
            }
            if (accepts(query, row)) {
                page.add(row.snapshot());
            }
        }
        return List.copyOf(page);
    }

    private boolean accepts(ProcessQuery query, InMemoryRow row) {
        long registered = row.createdAt.toEpochMilli();
        return (query.statuses().isEmpty()
                        || query.statuses().contains(row.head().status()))
                && (query.inputTypes().isEmpty()
                        || query.inputTypes().contains(row.registration.input().type()))
                && registered <= query.latestRegistration(now.wall())
                && registered > query.earliestRegistration(now.wall());
    }

    @Override
    public List<ProcessCount> counts(ProcessQuery query) {
        Map<ProcessCount, Long> counts = new TreeMap<>(Comparator.comparing(ProcessCount::inputType, CodePoints.ORDER)
                .thenComparing(count -> count.status().word()));
        for (InMemoryRow row : tables.processes.values()) {
            if (accepts(query, row)) {
                counts.merge(
                        new ProcessCount(
                                row.registration.input().type(), row.head().status(), 0),
                        1L,
                        Long::sum);
            }
        }
        return counts.entrySet().stream()
                .map(entry -> new ProcessCount(
                        entry.getKey().inputType(), entry.getKey().status(), entry.getValue()))
                .toList();
    }

    @Override
    public Optional<Tombstone> tombstone(String id) {
        return Optional.ofNullable(tables.tombstones.get(id));
    }

    @Override
    public PruneFloor floor() {
        return tables.floor;
    }

    @Override
    public Optional<ProcessEvent> eventOfReplayKey(ProcessHead process, String replayKey) {
        return Optional.ofNullable(tables.row(process).byReplayKey.get(replayKey));
    }

    @Override
    public Optional<ProcessEvent> firstEvent(ProcessHead process, String type, long afterSequence) {
        return tables.row(process).eventsAfter(afterSequence).stream()
                .filter(event -> event.type().equals(type))
                .findFirst();
    }

    @Override
    public List<ProcessEvent> events(ProcessHead process, long afterSequence, int limit) {
        return tables.row(process).eventsAfter(afterSequence).stream()
                .limit(limit)
                .toList();
    }

    @Override
    public Optional<WakeDelivery> wake(ProcessHead process, long sequence) {
        return Optional.ofNullable(tables.row(process).wakes.get(sequence)).map(InMemoryRow.Outgoing::wake);
    }

    @Override
    public List<WakeEvent> wakeEvents(ProcessHead process, long afterSequence, int limit) {
        InMemoryRow row = tables.row(process);
        return row.wakes.values().stream()
                .filter(outgoing -> !outgoing.acknowledged() && outgoing.wake().sequence() > afterSequence)
                .limit(limit)
                .map(outgoing -> new WakeEvent(row.event(outgoing.wake().sequence()), outgoing.wake()))
                .toList();
    }

    @Override
    public List<WakeDelivery> pendingWakes(String session, Optional<WakeDelivery> after, int limit) {
        return tables.processes.values().stream()
                .flatMap(row -> row.wakes.values().stream())
                .filter(outgoing -> !outgoing.acknowledged()
                        && outgoing.wake().target().session().equals(session))
                .map(InMemoryRow.Outgoing::wake)
                .filter(wake -> after.isEmpty() || BY_EVENT.compare(wake, after.get()) > 0)
                .limit(limit)
                .toList();
    }

    @Override
    public Optional<Grant> grant(SessionScope scope, ProcessHead process) {
        return Optional.ofNullable(tables.row(process).grants.get(scope));
    }

    @Override
    public List<GrantedProcess> grants(SessionScope scope, boolean runningOnly, Optional<String> after, int limit) {
        List<GrantedProcess> page = new ArrayList<>();
        for (InMemoryRow row : tables.after(after)) {
            Grant grant = row.grants.get(scope);
            if (page.size() < limit && grant != null && (!runningOnly || row.output.isEmpty())) {
                page.add(new GrantedProcess(grant, row.record()));
            }
        }
        return List.copyOf(page);
    }

    @Override
    public List<Grant> grantsOf(ProcessHead process) {
        return List.copyOf(tables.row(process).grants.values());
    }

    @Override
    public List<ProcessHead> heads(Collection<String> ids) {
        return ids.stream().flatMap(id -> head(id).stream()).toList();
    }

    @Override
    public Set<String> granted(Collection<String> ids) {
        Set<String> granted = new HashSet<>(ids);
        granted.removeIf(id -> {
            InMemoryRow row = tables.processes.get(id);
            return row == null || row.grants.isEmpty();
        });
        return Set.copyOf(granted);
    }

    @Override
    public Optional<Long> claimableAt(String inputType, Set<String> hostProfiles) {
        return tables.processes.values().stream()
                .filter(row -> row.isForWorkers(inputType, hostProfiles))
                .map(row -> row.isKept(now) ? row.keptUntil() : now.ticks())
                .min(Comparator.naturalOrder());
    }

    @Override
    public ChangePage changes(Optional<String> after, int limit) {
        return tables.feed.page(after, limit);
    }
}
