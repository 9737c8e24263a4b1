package dev.cloche.process.testing;

import dev.cloche.process.AwaitOutput;
import dev.cloche.process.ExternalRef;
import dev.cloche.process.Grant;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessRecord;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.RecoveryPolicy;
import dev.cloche.process.SessionScope;
import dev.cloche.process.WakeDelivery;
import dev.cloche.process.store.CodePoints;
import dev.cloche.process.store.LeaseRow;
import dev.cloche.process.store.PauseRow;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.ProcessSnapshot;
import dev.cloche.process.store.StoreTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** One process in memory. Guarded by the lock of its store. */
final class InMemoryRow {
    private static final Comparator<SessionScope> BY_SESSION = Comparator.comparing(
                    SessionScope::session, CodePoints.ORDER)
            .thenComparing(SessionScope::key, CodePoints.ORDER);

    /** Describes a wake in the outbox. */
    record Outgoing(WakeDelivery wake, boolean acknowledged) {}

    final ProcessRegistration registration;
    final Instant createdAt;
    final List<ProcessEvent> events = new ArrayList<>();
    final Map<String, ProcessEvent> byReplayKey = new HashMap<>();
    final SortedMap<Long, Outgoing> wakes = new TreeMap<>();
    final SortedMap<SessionScope, Grant> grants = new TreeMap<>(BY_SESSION);
    Optional<AwaitOutput> output = Optional.empty();
    Optional<ExternalRef> externalRef = Optional.empty();
    Instant updatedAt;
    ProcessHead head;
    Optional<StoreTime> idleSince = Optional.empty();
    Optional<Instant> startedAt = Optional.empty();
    Optional<String> returnedFor = Optional.empty();
    Optional<String> lostOwner = Optional.empty();

    InMemoryRow(long key, ProcessRegistration registration, String hash, long fence, long lastSequence, Instant now) {
        this.registration = registration;
        this.head = new ProcessHead(
                key,
                registration.id(),
                hash,
                ProcessStatus.RUNNING,
                registration.recovery(),
                registration.leaseRequired(),
                lastSequence + 1,
                lastSequence,
                fence,
                0,
                Optional.empty(),
                Optional.empty(),
                0);
        this.createdAt = now;
        this.updatedAt = now;
    }

    ProcessHead head() {
        return head;
    }

    ProcessRecord record() {
        return new ProcessRecord(
                registration,
                head.hash(),
                output,
                externalRef,
                head.firstSequence(),
                head.lastSequence(),
                head.attempts(),
                createdAt,
                updatedAt);
    }

    ProcessSnapshot snapshot() {
        return new ProcessSnapshot(head, record(), startedAt, returnedFor, lostOwner);
    }

    /** Sequences have no gaps, so the place of an event in the list tells its sequence. */
    List<ProcessEvent> eventsAfter(long sequence) {
        long firstSequence = head.firstSequence();
        int from = sequence < firstSequence ? 0 : Math.clamp(sequence - firstSequence + 1, 0, events.size());
        return events.subList(from, events.size());
    }

    ProcessEvent event(long sequence) {
        return events.get((int) (sequence - head.firstSequence()));
    }

    /** Returns whether it runs and workers of a type of input can drive it. */
    boolean isForWorkers(String inputType, Set<String> hostProfiles) {
        return output.isEmpty()
                && (hostProfiles.isEmpty()
                        || hostProfiles.contains(registration.provenance().hostProfileId()))
                && registration.input().type().equals(inputType)
                && !(registration.recovery() instanceof RecoveryPolicy.ExternallyOwned);
    }

    /** Returns whether workers have to wait: for the end of a lease, or of a pause. */
    boolean isKept(StoreTime now) {
        return head.lease().filter(row -> row.isLive(now)).isPresent()
                || head.pause().filter(row -> row.isLive(now)).isPresent();
    }

    long keptUntil() {
        return head.lease()
                .map(LeaseRow::expiresTicks)
                .or(() -> head.pause().map(PauseRow::untilTicks))
                .orElseThrow();
    }

    boolean hasPendingWake() {
        return wakes.values().stream().anyMatch(outgoing -> !outgoing.acknowledged());
    }
}
