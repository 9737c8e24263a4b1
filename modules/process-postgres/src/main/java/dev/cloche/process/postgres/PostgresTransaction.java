package dev.cloche.process.postgres;

import dev.cloche.process.AwaitOutput;
import dev.cloche.process.Change;
import dev.cloche.process.ExternalRef;
import dev.cloche.process.Grant;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessPruneRequest;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.SessionScope;
import dev.cloche.process.WakeDelivery;
import dev.cloche.process.postgres.Statements.RowWriter;
import dev.cloche.process.store.LeaseRow;
import dev.cloche.process.store.PauseRow;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.StoreTransaction;
import dev.cloche.process.store.Tombstone;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Makes the writes of one transaction. Each statement sees what was committed before it (READ COMMITTED), so all that is
 * read after {@link #lock} is current.
 */
final class PostgresTransaction extends PostgresReads implements StoreTransaction {
    private static final RowWriter EVENTS =
            new RowWriter("""
            WITH appended AS (
                INSERT INTO process_event
                    (process_key, sequence, type, payload, payload_hash, replay_key, caused_by, at_ms)
                SELECT * FROM unnest(?, ?, ?, ?, ?, ?, ?, ?)
                RETURNING process_key, sequence, at_ms
            )
            UPDATE process p SET last_sequence = last.sequence, updated_ms = last.at_ms
            FROM (SELECT DISTINCT ON (process_key) * FROM appended ORDER BY process_key, sequence DESC) last
            WHERE p.key = last.process_key
            """, "bigint", "bigint", "text", "text", "text", "text", "text", "bigint");

    /** In the order in which they are given. */
    private static final RowWriter CHANGES = new RowWriter(
            "INSERT INTO process_change (process_id, kind, sequence, event_type) SELECT * FROM unnest(?, ?, ?, ?)",
            "text",
            "text",
            "bigint",
            "text");

    private final List<Change> changes = new ArrayList<>();
    private final Map<String, ProcessHead> locked = new HashMap<>();

    private final ReplayKeyLookup replays;

    /** @param replayKeys that will be asked for of the process that is locked; it may be others too */
    PostgresTransaction(Statements statements, String clock, Set<String> replayKeys) {
        super(statements, clock);
        replays = new ReplayKeyLookup(replayKeys);
    }

    /** Returns what the listener is to be told after the commit. */
    List<Change> changes() {
        return changes;
    }

    /** Returns how many statements were given that may write. */
    long written() {
        return statements.written();
    }

    /** What is locked is changed by this alone, so several pieces of work on one process read it once. */
    @Override
    public Optional<ProcessHead> lock(String id) {
        ProcessHead known = locked.get(id);
        if (known != null) {
            return Optional.of(known);
        }
        Optional<ProcessHead> found = lockRow(id);
        found.ifPresent(head -> locked.put(id, head));
        return found;
    }

    private void changed(ProcessHead process, UnaryOperator<ProcessHead> change) {
        locked.computeIfPresent(process.id(), (_, head) -> change.apply(head));
    }

    private Optional<ProcessHead> lockRow(String id) {
        // A row that was pruned during the wait for it may have a successor, which only a second look finds.
        return lockOnce(id).or(() -> lockOnce(id));
    }

    private Optional<ProcessHead> lockOnce(String id) {
        List<ProcessHead> locked = statements.alongside(
                PostgresRows::head,
                "SELECT " + PostgresRows.HEAD + " FROM process p WHERE p.id = ? FOR NO KEY UPDATE",
                id);
        replays.readAlongside(statements, id);
        if (now == null) {
            // In the same round trip and after the wait for the lock: a lease that ran out meanwhile has run out.
            List<Long> clock = statements.alongside(row -> row.getLong("clock_ms"), askClock);
            sql(statements::run);
            now = time(clock.getFirst());
        } else {
            sql(statements::run);
        }
        return locked.stream().findFirst();
    }

    @Override
    public Optional<ProcessEvent> eventOfReplayKey(ProcessHead process, String replayKey) {
        return replays.covers(process, replayKey)
                ? replays.event(replayKey)
                : super.eventOfReplayKey(process, replayKey);
    }

    @Override
    public Optional<WakeDelivery> wake(ProcessHead process, long sequence) {
        return replays.covers(process, sequence) ? replays.wake(sequence) : super.wake(process, sequence);
    }

    @Override
    public boolean insertProcess(ProcessRegistration registration, String hash, long fence, long lastSequence) {
        PostgresRegistrations registrations = new PostgresRegistrations(statements);
        // A prune of this id holds the same lock until its tombstone can be read here.
        registrations.lockId(registration.id());
        return registrations.insert(registration, hash, fence, lastSequence, now().ticks());
    }

    @Override
    public void setExternalRef(ProcessHead process, ExternalRef ref) {
        statements.later(
                "UPDATE process SET external_backend = ?, external_id = ?, external_metadata = ?, updated_ms = ?"
                        + " WHERE key = ?",
                ref.backend(),
                ref.id(),
                ref.metadata().map(Json::text),
                now().ticks(),
                process.key());
    }

    @Override
    public void insertEvent(ProcessHead process, ProcessEvent event) {
        changed(process, head -> head.withLastSequence(event.sequence()));
        replays.inserted(event);
        statements.row(
                EVENTS,
                process.key(),
                event.sequence(),
                event.type(),
                event.payload().text(),
                event.payloadHash(),
                event.replayKey(),
                event.causedBy().map(Json::text),
                event.at().toEpochMilli());
    }

    @Override
    public void end(ProcessHead process, AwaitOutput output) {
        changed(process, head -> head.withStatus(output.status()));
        statements.later(
                "UPDATE process SET status = ?, output = ? WHERE key = ?",
                output.status().word(),
                output.json().text(),
                process.key());
    }

    @Override
    public void setLease(ProcessHead process, Optional<LeaseRow> lease, long fence, int attempts) {
        changed(process, head -> head.withLease(lease, fence, attempts));
        statements.later(
                "UPDATE process SET lease_owner = ?, lease_token = ?, lease_fence = ?, lease_epoch = ?,"
                        + " lease_expires_ms = ?, lease_claimed_ms = ?, fence = ?, attempts = ?, pause_until_ms = NULL,"
                        + " started_ms = CASE WHEN status = 'running' THEN coalesce(started_ms, CAST(? AS bigint))"
                        + " ELSE started_ms END WHERE key = ?",
                lease.map(LeaseRow::owner),
                lease.map(LeaseRow::token),
                lease.map(LeaseRow::fence),
                lease.map(LeaseRow::epoch),
                lease.map(LeaseRow::expiresTicks),
                lease.map(row -> row.claimedAt().toEpochMilli()),
                fence,
                attempts,
                lease.map(row -> row.claimedAt().toEpochMilli()),
                process.key());
    }

    @Override
    public void setPause(ProcessHead process, Optional<PauseRow> pause, int returns, Optional<String> why) {
        changed(process, head -> head.withPause(pause, returns));
        statements.later(
                "UPDATE process SET pause_until_ms = ?, returns = ?, returned_for = coalesce(?, returned_for)"
                        + " WHERE key = ?",
                pause.map(PauseRow::untilTicks),
                returns,
                why,
                process.key());
    }

    @Override
    public void setLost(ProcessHead process, String owner) {
        statements.later("UPDATE process SET lost_owner = ? WHERE key = ?", owner, process.key());
    }

    @Override
    public void insertWake(ProcessHead process, WakeDelivery wake) {
        replays.inserted(wake);
        statements.later(
                "INSERT INTO process_wake (process_key, sequence, process_id, wake_id, session, frame, event_type,"
                        + " input, dedupe_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                process.key(),
                wake.sequence(),
                process.id(),
                wake.wakeId(),
                wake.target().session(),
                wake.target().frame(),
                wake.eventType(),
                wake.input().text(),
                wake.dedupeKey());
    }

    @Override
    public void ackWake(ProcessHead process, long sequence) {
        statements.later(
                "UPDATE process_wake SET acknowledged = true"
                        + " WHERE process_key = ? AND sequence = ? AND NOT acknowledged",
                process.key(),
                sequence);
    }

    @Override
    public void putGrant(ProcessHead process, Grant grant) {
        new PostgresGrants(statements).put(process, grant);
    }

    @Override
    public void deleteGrant(ProcessHead process, SessionScope scope) {
        new PostgresGrants(statements).delete(process, scope);
    }

    @Override
    public List<Grant> deleteGrantsOfSession(String session) {
        return new PostgresGrants(statements).deleteOfSession(session);
    }

    @Override
    public int deleteWakesOfSession(String session) {
        replays.forget();
        return sql(() -> statements.update("DELETE FROM process_wake WHERE session = ? AND NOT acknowledged", session));
    }

    @Override
    public List<ProcessHead> lockClaimable(String inputType, Set<String> hostProfiles, int limit) {
        return new PostgresClaims(statements, hostProfiles).lockFree(inputType, now().ticks(), limit);
    }

    @Override
    public List<ProcessHead> lockPrunable(ProcessPruneRequest request, Optional<String> after, int limit) {
        return new PostgresPrunes(statements).lockOffered(now().ticks(), request, after, limit);
    }

    @Override
    public void bury(ProcessHead process, Tombstone tombstone) {
        locked.remove(process.id());
        replays.forget();
        new PostgresRegistrations(statements).lockId(process.id());
        new PostgresPrunes(statements).bury(process, tombstone);
    }

    @Override
    public void forget(int remembered) {
        new PostgresPrunes(statements).forget(remembered);
    }

    @Override
    public void change(Change change) {
        changes.add(change);
        String kind = PostgresRows.word(change.kind());
        if (change.kind() != Change.Kind.EVENT) {
            statements.later("DELETE FROM process_change WHERE process_id = ? AND kind = ?", change.processId(), kind);
        }
        statements.row(CHANGES, change.processId(), kind, change.sequence(), change.eventType());
    }
}
