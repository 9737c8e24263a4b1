package dev.cloche.process;

import dev.cloche.catalog.Session;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The writes of a {@link SqliteProcessStore}, in one transaction. SQLite has one writer at a time, so whatever is read here
 * is locked, and positions of the feed are taken in the order of the commits.
 */
final class SqliteTransaction extends SqliteReads implements StoreTransaction {
    private final Session session;
    private final SqliteFeed feed;
    private final List<Change> changes = new ArrayList<>();
    private FeedRange positions = FeedRange.NONE;
    private boolean wrote;

    /** @param feed of the transaction, which others may share */
    SqliteTransaction(Session session, StoreClock clock, SqliteFeed feed) {
        super(session, clock);
        this.session = session;
        this.feed = feed;
    }

    /** Begins what {@link #undo} undoes, and nothing before it. */
    void savepoint() throws SQLException {
        session.update("SAVEPOINT one");
    }

    void undo() throws SQLException {
        session.update("ROLLBACK TO one");
    }

    void release() throws SQLException {
        session.update("RELEASE one");
    }

    /** What the listener is to be told after the commit. */
    List<Change> changes() {
        return changes;
    }

    /** Positions in the feed that this has taken. */
    FeedRange positions() {
        return positions;
    }

    /** Whether there is anything to be undone. */
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
    public boolean insertProcess(ProcessRegistration registration, String hash, long fence) {
        Recovery recovery = registration.recovery();
        wrote = true;
        Optional<Long> key = sql.first(
                row -> row.getLong(1),
                """
                INSERT INTO process (id, hash, input_type, recovery, attempts_allowed, lease_required, status,
                                     last_sequence, fence, attempts, created_at, updated_at)
                VALUES (?, ?, ?, ?, ?, ?, 'running', 0, ?, 0, ?, ?)
                ON CONFLICT (id) DO NOTHING RETURNING key
                """,
                registration.id(),
                hash,
                registration.input().type(),
                switch (recovery) {
                    case Recovery.Rerunnable _ -> "rerunnable";
                    case Recovery.OwnerBound _ -> "owner_bound";
                    case Recovery.ExternallyOwned _ -> "externally_owned";
                },
                recovery instanceof Recovery.Rerunnable rerunnable
                        ? Optional.of(rerunnable.attempts())
                        : Optional.empty(),
                registration.leaseRequired() ? 1 : 0,
                fence,
                now().wall().toEpochMilli(),
                now().wall().toEpochMilli());
        key.ifPresent(made -> write(
                "INSERT INTO process_detail (process, registration) VALUES (?, ?)",
                made,
                RegistrationJson.write(registration).text()));
        return key.isPresent();
    }

    @Override
    public void setExternalRef(ProcessHead process, ExternalRef ref) {
        write(
                "UPDATE process_detail SET external_backend = ?, external_id = ?, external_metadata = ? WHERE process = ?",
                ref.backend(),
                ref.id(),
                Sql.text(ref.metadata()),
                process.key());
        write("UPDATE process SET updated_at = ? WHERE key = ?", now().wall().toEpochMilli(), process.key());
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
                Sql.text(event.causedBy()),
                event.at().toEpochMilli());
        write(
                "UPDATE process SET last_sequence = ?, updated_at = ? WHERE key = ?",
                event.sequence(),
                event.at().toEpochMilli(),
                process.key());
    }

    @Override
    public void end(ProcessHead process, AwaitOutput output) {
        write("UPDATE process SET status = ? WHERE key = ?", output.status().word(), process.key());
        write(
                "UPDATE process_detail SET output = ? WHERE process = ?",
                output.json().text(),
                process.key());
    }

    @Override
    public void setLease(ProcessHead process, Optional<LeaseRow> lease, long fence, int attempts) {
        write(
                """
                UPDATE process SET fence = ?, attempts = ?, lease_owner = ?, lease_token = ?, lease_epoch = ?,
                       lease_expires = ?, lease_claimed_at = ?
                WHERE key = ?
                """,
                fence,
                attempts,
                lease.map(LeaseRow::owner),
                lease.map(LeaseRow::token),
                lease.map(LeaseRow::epoch),
                lease.map(LeaseRow::expiresTicks),
                lease.map(row -> row.claimedAt().toEpochMilli()),
                process.key());
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
    public List<ProcessHead> lockClaimable(String inputType, int limit) {
        return new SqliteClaims(sql, now()).free(inputType, limit);
    }

    @Override
    public List<ProcessHead> lockPrunable(PruneRequest request, Optional<String> after, int limit) {
        return sql.list(
                SqliteRows::head,
                SqliteRows.HEAD + """
                        WHERE p.status <> 'running' AND p.id > ? AND p.updated_at < ?
                          AND (? OR p.status IN (SELECT value FROM json_each(?)))
                          AND (? OR p.input_type IN (SELECT value FROM json_each(?)))
                          AND (? OR NOT EXISTS (SELECT 1 FROM process_grant g WHERE g.process = p.key))
                          AND NOT EXISTS (SELECT 1 FROM process_wake w WHERE w.process = p.key AND w.acknowledged = 0)
                        ORDER BY p.id LIMIT ?
                        """,
                after.orElse(""),
                request.updatedBefore().toEpochMilli(),
                flag(request.statuses().isEmpty()),
                array(request.statuses().stream().map(ProcessStatus::word).toList()),
                flag(request.inputTypes().isEmpty()),
                array(request.inputTypes()),
                flag(request.granted()),
                limit);
    }

    private static int flag(boolean value) {
        return value ? 1 : 0;
    }

    /** Its events leave the feed with it. The change that says so is there already, so none of them was its last entry. */
    @Override
    public void bury(ProcessHead process, Tombstone tombstone) {
        write("DELETE FROM process WHERE key = ?", process.key());
        write("""
                INSERT INTO process_tombstone (id, fence, pruned_at) VALUES (?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET fence = excluded.fence, pruned_at = excluded.pruned_at
                """, tombstone.id(), tombstone.fence(), tombstone.prunedAt().toEpochMilli());
    }

    @Override
    public void change(Change change) {
        // Events are in the feed as they are.
        if (change.kind() != Change.Kind.EVENT) {
            write(
                    "INSERT INTO process_change (position, process_id, kind) VALUES (?, ?, ?)",
                    nextPosition(),
                    change.processId(),
                    change.kind().name());
        }
        changes.add(change);
    }

    private long nextPosition() {
        long position = feed.nextPosition();
        positions = positions.and(new FeedRange(position, position));
        return position;
    }
}
