package dev.cloche.process;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** One process in memory. Guarded by the lock of its store. */
final class InMemoryRow {
    private static final Comparator<SessionScope> BY_SESSION =
            Comparator.comparing(SessionScope::session, Names.ORDER).thenComparing(SessionScope::key, Names.ORDER);

    /** A wake in the outbox. */
    record Outgoing(WakeDelivery wake, boolean acknowledged) {}

    final long key;
    final ProcessRegistration registration;
    final String hash;
    final Instant createdAt;
    final List<ProcessEvent> events = new ArrayList<>();
    final Map<String, ProcessEvent> byReplayKey = new HashMap<>();
    final SortedMap<Long, Outgoing> wakes = new TreeMap<>();
    final SortedMap<SessionScope, Grant> grants = new TreeMap<>(BY_SESSION);
    Optional<AwaitOutput> output = Optional.empty();
    Optional<ExternalRef> externalRef = Optional.empty();
    Optional<LeaseRow> lease = Optional.empty();
    Instant updatedAt;
    long fence;
    int attempts;

    InMemoryRow(long key, ProcessRegistration registration, String hash, long fence, Instant now) {
        this.key = key;
        this.registration = registration;
        this.hash = hash;
        this.fence = fence;
        this.createdAt = now;
        this.updatedAt = now;
    }

    String id() {
        return registration.id();
    }

    ProcessHead head() {
        return new ProcessHead(
                key,
                id(),
                hash,
                output.map(AwaitOutput::status).orElse(ProcessStatus.RUNNING),
                registration.recovery(),
                registration.leaseRequired(),
                events.size(),
                fence,
                attempts,
                lease);
    }

    ProcessRecord record() {
        return new ProcessRecord(
                registration, hash, output, externalRef, events.size(), attempts, createdAt, updatedAt);
    }

    /** Sequences have no gaps, so the place of an event in the list tells its sequence. */
    List<ProcessEvent> eventsAfter(long sequence) {
        int from = Math.clamp(sequence, 0, events.size());
        return events.subList(from, events.size());
    }

    /** Whether it runs and workers of a type of input can drive it. */
    boolean isForWorkers(String inputType) {
        return output.isEmpty()
                && registration.input().type().equals(inputType)
                && !(registration.recovery() instanceof Recovery.ExternallyOwned);
    }

    boolean isHeld(StoreTime now) {
        return lease.filter(row -> LeaseRules.isLive(row, now)).isPresent();
    }

    boolean hasPendingWake() {
        return wakes.values().stream().anyMatch(outgoing -> !outgoing.acknowledged());
    }
}
