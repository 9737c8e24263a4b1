package dev.cloche.process.sqlite;

import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.process.ChangePage;
import dev.cloche.process.Grant;
import dev.cloche.process.GrantedProcess;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessCount;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessQuery;
import dev.cloche.process.ProcessRecord;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.SessionScope;
import dev.cloche.process.SqliteProcessStore;
import dev.cloche.process.WakeDelivery;
import dev.cloche.process.WakeEvent;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.ProcessSnapshot;
import dev.cloche.process.store.PruneFloor;
import dev.cloche.process.store.StoreClock;
import dev.cloche.process.store.StoreReads;
import dev.cloche.process.store.StoreTime;
import dev.cloche.process.store.Tombstone;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads for a {@link SqliteProcessStore}, in one transaction. */
public class SqliteReads implements StoreReads {
    final SqlStatements sql;
    private final StoreClock clock;
    private Optional<StoreTime> now = Optional.empty();

    public SqliteReads(CatalogTransaction transaction, StoreClock clock) {
        this.sql = new SqlStatements(transaction);
        this.clock = clock;
    }

    @Override
    public final StoreTime now() {
        StoreTime time = now.orElseGet(clock::now);
        now = Optional.of(time);
        return time;
    }

    @Override
    public final Optional<ProcessHead> head(String id) {
        return sql.first(SqliteRows::head, SqliteRows.HEAD + "WHERE p.id = ?", id);
    }

    @Override
    public final Optional<ProcessRecord> record(String id) {
        return sql.first(
                SqliteRows::record,
                "SELECT " + SqliteRows.RECORD_COLUMNS
                        + "FROM process p JOIN process_detail d ON d.process = p.key WHERE p.id = ?",
                id);
    }

    @Override
    public final Optional<ProcessSnapshot> snapshot(String id) {
        return sql.first(SqliteRows::snapshot, SqliteRows.SNAPSHOT + "WHERE p.id = ?", id);
    }

    @Override
    public final List<ProcessSnapshot> snapshots(ProcessQuery query) {
        List<Object> parameters = new ArrayList<>();
        parameters.add(query.after().orElse(""));
        String condition = condition(query, parameters);
        parameters.add(query.limit());
        return sql.list(
                SqliteRows::snapshot,
                SqliteRows.SNAPSHOT + "WHERE p.id > ?" + condition + " ORDER BY p.id LIMIT ?",
                parameters.toArray());
    }

    private String condition(ProcessQuery query, List<Object> parameters) {
        StringBuilder condition = new StringBuilder();
        if (query.statuses().equals(Set.of(ProcessStatus.RUNNING))) {
            // As the index of those that run has it.
            condition.append(" AND p.status = 'running'");
        } else if (!query.statuses().isEmpty()) {
            condition.append(" AND p.status IN (SELECT value FROM json_each(?))");
            parameters.add(
                    array(query.statuses().stream().map(ProcessStatus::word).toList()));
        }
        if (!query.inputTypes().isEmpty()) {
            condition.append(" AND p.input_type IN (SELECT value FROM json_each(?))");
            parameters.add(array(query.inputTypes()));
        }
        condition.append(" AND p.created_at <= ? AND p.created_at > ?");
        parameters.add(query.latestRegistration(now().wall()));
        parameters.add(query.earliestRegistration(now().wall()));
        return condition.toString();
    }

    @Override
    public final List<ProcessCount> counts(ProcessQuery query) {
        List<Object> parameters = new ArrayList<>();
        String condition = condition(query, parameters);
        return sql.list(
                row -> new ProcessCount(row.getString(1), ProcessStatus.ofWord(row.getString(2)), row.getLong(3)),
                "SELECT p.input_type, p.status, count(*) FROM process p WHERE true" + condition
                        + " GROUP BY p.input_type, p.status ORDER BY p.input_type, p.status",
                parameters.toArray());
    }

    @Override
    public final Optional<Tombstone> tombstone(String id) {
        return sql.first(
                row -> new Tombstone(
                        row.getString("id"),
                        row.getLong("fence"),
                        row.getLong("last"),
                        SqlStatements.instant(row, "pruned_at")),
                "SELECT id, fence, coalesce(last_sequence, " + SqliteFeed.LAST + ") AS last, pruned_at"
                        + " FROM process_tombstone WHERE id = ?",
                id);
    }

    @Override
    public final PruneFloor floor() {
        return sql.first(
                        row -> new PruneFloor(row.getLong("fence"), row.getLong("sequence")),
                        "SELECT fence, sequence FROM process_floor")
                .orElseThrow();
    }

    @Override
    public final Optional<ProcessEvent> eventOfReplayKey(ProcessHead process, String replayKey) {
        return sql.first(
                row -> SqliteRows.event(process.id(), row),
                "SELECT " + SqliteRows.EVENT_COLUMNS + " FROM process_event e WHERE e.process = ? AND e.replay_key = ?",
                process.key(),
                replayKey);
    }

    @Override
    public final Optional<ProcessEvent> firstEvent(ProcessHead process, String type, long afterSequence) {
        return sql.first(
                row -> SqliteRows.event(process.id(), row),
                "SELECT " + SqliteRows.EVENT_COLUMNS
                        + " FROM process_event e WHERE e.process = ? AND e.type = ? AND e.sequence > ?"
                        + " ORDER BY e.sequence LIMIT 1",
                process.key(),
                type,
                afterSequence);
    }

    @Override
    public final List<ProcessEvent> events(ProcessHead process, long afterSequence, int limit) {
        return sql.list(
                row -> SqliteRows.event(process.id(), row),
                "SELECT " + SqliteRows.EVENT_COLUMNS
                        + " FROM process_event e WHERE e.process = ? AND e.sequence > ? ORDER BY e.sequence LIMIT ?",
                process.key(),
                afterSequence,
                limit);
    }

    @Override
    public final Optional<WakeDelivery> wake(ProcessHead process, long sequence) {
        return sql.first(
                row -> SqliteRows.wake(process.id(), row),
                "SELECT " + SqliteRows.WAKE_COLUMNS + " FROM process_wake w WHERE w.process = ? AND w.sequence = ?",
                process.key(),
                sequence);
    }

    @Override
    public final List<WakeEvent> wakeEvents(ProcessHead process, long afterSequence, int limit) {
        return sql.list(
                row -> new WakeEvent(SqliteRows.event(process.id(), row), SqliteRows.wake(process.id(), row)),
                "SELECT " + SqliteRows.EVENT_COLUMNS + ", " + SqliteRows.WAKE_COLUMNS
                        + " FROM process_wake w JOIN process_event e ON e.process = w.process AND e.sequence = w.sequence"
                        + " WHERE w.process = ? AND w.sequence > ? AND w.acknowledged = 0 ORDER BY w.sequence LIMIT ?",
                process.key(),
                afterSequence,
                limit);
    }

    @Override
    public final List<WakeDelivery> pendingWakes(String session, Optional<WakeDelivery> after, int limit) {
        return sql.list(
                row -> SqliteRows.wake(row.getString("id"), row),
                "SELECT p.id, " + SqliteRows.WAKE_COLUMNS
                        + " FROM process_wake w JOIN process p ON p.key = w.process"
                        + " WHERE w.session = ? AND w.acknowledged = 0 AND (p.id, w.sequence) > (?, ?)"
                        + " ORDER BY p.id, w.sequence LIMIT ?",
                session,
                after.map(WakeDelivery::processId).orElse(""),
                after.map(WakeDelivery::sequence).orElse(0L),
                limit);
    }

    @Override
    public final Optional<Grant> grant(SessionScope scope, ProcessHead process) {
        return sql.first(
                row -> SqliteRows.grant(process.id(), row),
                "SELECT session, frame, kind, label FROM process_grant WHERE scope = ? AND process = ?",
                scope.key(),
                process.key());
    }

    @Override
    public final List<GrantedProcess> grants(
            SessionScope scope, boolean runningOnly, Optional<String> after, int limit) {
        return sql.list(
                row -> new GrantedProcess(SqliteRows.grant(row.getString("id"), row), SqliteRows.record(row)),
                "SELECT p.id, g.session, g.frame, g.kind, g.label, " + SqliteRows.RECORD_COLUMNS
                        + "FROM process_grant g JOIN process p ON p.key = g.process"
                        + " JOIN process_detail d ON d.process = p.key"
                        + " WHERE g.scope = ? AND p.id > ?" + (runningOnly ? " AND p.status = 'running'" : "")
                        + " ORDER BY p.id LIMIT ?",
                scope.key(),
                after.orElse(""),
                limit);
    }

    @Override
    public final List<Grant> grantsOf(ProcessHead process) {
        return sql.list(
                row -> SqliteRows.grant(process.id(), row),
                "SELECT session, frame, kind, label FROM process_grant WHERE process = ? ORDER BY session, scope",
                process.key());
    }

    @Override
    public final List<ProcessHead> heads(Collection<String> ids) {
        return sql.list(
                SqliteRows::head, SqliteRows.HEAD + "WHERE p.id IN (SELECT value FROM json_each(?))", array(ids));
    }

    @Override
    public final Set<String> granted(Collection<String> ids) {
        return Set.copyOf(sql.list(
                row -> row.getString("id"),
                "SELECT p.id FROM process p WHERE p.id IN (SELECT value FROM json_each(?))"
                        + " AND EXISTS (SELECT 1 FROM process_grant g WHERE g.process = p.key)",
                array(ids)));
    }

    @Override
    public final Optional<Long> claimableAt(String inputType, Set<String> hostProfiles) {
        return new SqliteClaims(sql, now(), hostProfiles).firstAt(inputType);
    }

    /** Any number of strings as one parameter. */
    static String array(Collection<String> values) {
        return Json.array(values.stream().map(Json::of).toList()).text();
    }

    @Override
    public final ChangePage changes(Optional<String> after, int limit) {
        return new SqliteFeed(sql).page(after, limit);
    }

    /** Returns the last position of the feed; 0 before the first change. */
    public final long lastPosition() {
        return new SqliteFeed(sql).lastPosition();
    }
}
