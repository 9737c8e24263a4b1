package dev.cloche.process.sqlite;

import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.process.AwaitOutput;
import dev.cloche.process.Change;
import dev.cloche.process.ExternalRef;
import dev.cloche.process.Grant;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessPruneRequest;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.SessionScope;
import dev.cloche.process.SqliteProcessStore;
import dev.cloche.process.WakeDelivery;
import dev.cloche.process.store.LeaseRow;
import dev.cloche.process.store.PauseRow;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.StoreClock;
import dev.cloche.process.store.StoreTransaction;
import dev.cloche.process.store.Tombstone;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Writes for a {@link SqliteProcessStore}, in one transaction. SQLite has one writer at a time, so all that is read here is
 * locked, and positions of the feed are taken in the order of the commits.
 */
public final class SqliteTransaction extends SqliteReads implements StoreTransaction {
    private final CatalogTransaction transaction;
    private final SqliteFeed feed;
    private final List<Change> changes = new ArrayList<>();
    private FeedRange positions = FeedRange.NONE;
    private boolean wrote;

    /**
     * Writes in a transaction that is open.
     *
     * @param feed of the transaction, which others may share
     */
    public SqliteTransaction(CatalogTransaction transaction, StoreClock clock, SqliteFeed feed) {
        super(transaction, clock);
        this.transaction = transaction;
        this.feed = feed;
    }

    /** Begins what {@link #undo} undoes, and nothing before it. */
    void savepoint() throws SQLException {
        transaction.update("SAVEPOINT one");
    }

    void undo() throws SQLException {
        transaction.update("ROLLBACK TO one");
    }

    void release() throws SQLException {
        transaction.update("RELEASE one");
    }

    /** Returns what the listener is to be told after the commit. */
    List<Change> changes() {
        return changes;
    }

    /** Positions in the feed that this has taken. */
    FeedRange positions() {
        return positions;
    }

    /** Returns whether there is anything to be undone. */
    boolean wrote() {
        return wrote;
    }

    private int write(String statement, Object... parameters) {
        wrote = true;
        return sql.update(statement, parameters);
    }

    @Override
    public Optional<ProcessHead> lock(String id) {
        return head(id);
    }

    @Override
    public boolean insertProcess(ProcessRegistration registration, String hash, long fence, long lastSequence) {
        wrote = true;
        return new SqliteRegistrations(sql, now()).insert(registration, hash, fence, lastSequence);
    }

    @Override
    public void setExternalRef(ProcessHead process, ExternalRef ref) {
        write(
                "UPDATE process_detail SET external_backend = ?, external_id = ?, external_metadata = ? WHERE process = ?",
                ref.backend(),
                ref.id(),
                SqlStatements.text(ref.metadata()),
                process.key());
        write("UPDATE process SET updated_at = ? WHERE key = ?", now().wall().toEpochMilli(), process.key());
        touch(process);
    }

    /** A process that has ended is as old as what last happened to it, in time that cannot be set. */
    private void touch(ProcessHead process) {
        if (process.status().terminal()) {
            touchEnded(process);
        }
    }

    private void touchEnded(ProcessHead process) {
        write(
                "UPDATE process SET idle_epoch = ?, idle_since = ? WHERE key = ?",
                now().epoch(),
                now().ticks(),
                process.key());
    }

    @Override
    public void insertEvent(ProcessHead process, ProcessEvent event) {
        write(
                """
                INSERT INTO process_event (key, process, sequence, type, payload, payload_hash, replay_key, caused_by, at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                nextPosition(),
                process.key(),
                event.sequence(),
                event.type(),
                event.payload().text(),
                event.payloadHash(),
                event.replayKey(),
                SqlStatements.text(event.causedBy()),
                event.at().toEpochMilli());
        write(
                "UPDATE process SET last_sequence = ?, updated_at = ? WHERE key = ?",
                event.sequence(),
                event.at().toEpochMilli(),
                process.key());
        touch(process);
    }

    @Override
    public void end(ProcessHead process, AwaitOutput output) {
        write("UPDATE process SET status = ? WHERE key = ?", output.status().word(), process.key());
        write(
                "UPDATE process_detail SET output = ? WHERE process = ?",
                output.json().text(),
                process.key());
        touchEnded(process);
    }

    @Override
    public void setLease(ProcessHead process, Optional<LeaseRow> lease, long fence, int attempts) {
        write(
                """
                UPDATE process SET fence = ?, attempts = ?, lease_owner = ?, lease_token = ?, lease_epoch = ?,
                       lease_expires = ?, lease_claimed_at = ?, pause_epoch = NULL, pause_until = NULL,
                       started_at = CASE WHEN status = 'running' THEN coalesce(started_at, ?) ELSE started_at END
                WHERE key = ?
                """,
                fence,
                attempts,
                lease.map(LeaseRow::owner),
                lease.map(LeaseRow::token),
                lease.map(LeaseRow::epoch),
                lease.map(LeaseRow::expiresTicks),
                lease.map(row -> row.claimedAt().toEpochMilli()),
                lease.map(row -> row.claimedAt().toEpochMilli()),
                process.key());
    }

    @Override
    public void setPause(ProcessHead process, Optional<PauseRow> pause, int returns, Optional<String> why) {
        write(
                "UPDATE process SET pause_epoch = ?, pause_until = ?, returns = ? WHERE key = ?",
                pause.map(PauseRow::epoch),
                pause.map(PauseRow::untilTicks),
                returns,
                process.key());
        why.ifPresent(
                text -> write("UPDATE process_detail SET returned_for = ? WHERE process = ?", text, process.key()));
    }

    @Override
    public void setLost(ProcessHead process, String owner) {
        write("UPDATE process_detail SET lost_owner = ? WHERE process = ?", owner, process.key());
    }

    @Override
    public void insertWake(ProcessHead process, WakeDelivery wake) {
        write(
                """
                INSERT INTO process_wake (process, sequence, wake_id, session, frame, event_type, input, dedupe_key,
                                          acknowledged)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)
                """,
                process.key(),
                wake.sequence(),
                wake.wakeId(),
                wake.target().session(),
                wake.target().frame(),
                wake.eventType(),
                wake.input().text(),
                wake.dedupeKey());
    }

    @Override
    public void ackWake(ProcessHead process, long sequence) {
        write("UPDATE process_wake SET acknowledged = 1 WHERE process = ? AND sequence = ?", process.key(), sequence);
    }

    @Override
    public void putGrant(ProcessHead process, Grant grant) {
        write(
                """
                INSERT INTO process_grant (scope, process, session, frame, kind, label) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (scope, process) DO UPDATE SET kind = excluded.kind, label = excluded.label
                """,
                grant.scope().key(),
                process.key(),
                grant.scope().session(),
                grant.scope().frame(),
                grant.descriptor().kind(),
                grant.descriptor().label());
    }

    @Override
    public void deleteGrant(ProcessHead process, SessionScope scope) {
        write("DELETE FROM process_grant WHERE scope = ? AND process = ?", scope.key(), process.key());
    }

    @Override
    public List<Grant> deleteGrantsOfSession(String session) {
        List<Grant> grants = sql.list(
                row -> SqliteRows.grant(row.getString("id"), row),
                "SELECT p.id, g.session, g.frame, g.kind, g.label FROM process_grant g"
                        + " JOIN process p ON p.key = g.process WHERE g.session = ?",
                session);
        write("DELETE FROM process_grant WHERE session = ?", session);
        return grants;
    }

    @Override
    public int deleteWakesOfSession(String session) {
        return write("DELETE FROM process_wake WHERE session = ? AND acknowledged = 0", session);
    }

    @Override
    public List<ProcessHead> lockClaimable(String inputType, Set<String> hostProfiles, int limit) {
        return new SqliteClaims(sql, now(), hostProfiles).free(inputType, limit);
    }

    @Override
    public List<ProcessHead> lockPrunable(ProcessPruneRequest request, Optional<String> after, int limit) {
        return new SqlitePrunes(sql).offered(now(), request, after, limit);
    }

    @Override
    public void bury(ProcessHead process, Tombstone tombstone) {
        wrote = true;
        new SqlitePrunes(sql).bury(process, tombstone);
    }

    @Override
    public void forget(int remembered) {
        wrote = true;
        feed.forget(remembered);
        new SqlitePrunes(sql).forgetTombstones(remembered);
    }

    @Override
    public void change(Change change) {
        // Events are in the feed as they are.
        if (change.kind() != Change.Kind.EVENT) {
            long position = nextPosition();
            write(
                    "INSERT INTO process_change (position, process_id, kind) VALUES (?, ?, ?)",
                    position,
                    change.processId(),
                    change.kind().name());
            write(
                    "DELETE FROM process_change WHERE process_id = ? AND kind = ? AND position < ?",
                    change.processId(),
                    change.kind().name(),
                    position);
        }
        changes.add(change);
    }

    private long nextPosition() {
        long position = feed.nextPosition();
        positions = positions.and(new FeedRange(position, position));
        return position;
    }
}
