package dev.cloche.process.postgres;

import dev.cloche.process.ChangePage;
import dev.cloche.process.Grant;
import dev.cloche.process.GrantedProcess;
import dev.cloche.process.ProcessCount;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessQuery;
import dev.cloche.process.ProcessRecord;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.SessionScope;
import dev.cloche.process.WakeDelivery;
import dev.cloche.process.WakeEvent;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.ProcessSnapshot;
import dev.cloche.process.store.PruneFloor;
import dev.cloche.process.store.StoreReads;
import dev.cloche.process.store.StoreTime;
import dev.cloche.process.store.Tombstone;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs the queries of one transaction. */
sealed class PostgresReads implements StoreReads permits PostgresTransaction {
    /** All hosts read one clock, so its ticks can always be compared. */
    static final String EPOCH = "postgresql";

    /** The one authority: milliseconds of the server's clock at this statement, not at the transaction's beginning. */
    static final String SERVER_CLOCK = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

    /** One without is of an older program; each event was an entry of the feed, so its ids are beyond any sequence. */
    static final String LAST_OF_TOMBSTONE =
            "coalesce(t.last_sequence, pg_sequence_last_value(pg_get_serial_sequence('process_change', 'id')), 0)";

    protected final Statements statements;
    protected final String askClock;
    protected @Nullable StoreTime now;

    /** @param clock an SQL expression for the ticks */
    PostgresReads(Statements statements, String clock) {
        this.statements = statements;
        this.askClock = "SELECT " + clock + " AS clock_ms";
    }

    /** A call of the database inside of a transaction, whose failure is found again where the transaction ends. */
    @FunctionalInterface
    protected interface Call<T> {
        T run() throws SQLException;
    }

    protected static <T> T sql(Call<T> call) {
        try {
            return call.run();
        } catch (SQLException e) {
            throw new FailedStatement(e);
        }
    }

    @Override
    public StoreTime now() {
        StoreTime known = now;
        if (known == null) {
            known = time(sql(() -> statements.first(row -> row.getLong("clock_ms"), askClock))
                    .orElseThrow());
            now = known;
        }
        return known;
    }

    protected static StoreTime time(long millis) {
        return new StoreTime(Instant.ofEpochMilli(millis), EPOCH, millis);
    }

    @Override
    public Optional<ProcessHead> head(String id) {
        return sql(() -> statements.first(
                PostgresRows::head, "SELECT " + PostgresRows.HEAD + " FROM process p WHERE p.id = ?", id));
    }

    @Override
    public Optional<ProcessRecord> record(String id) {
        return sql(() -> statements.first(
                PostgresRows::record, "SELECT " + PostgresRows.RECORD + " FROM process p WHERE p.id = ?", id));
    }

    @Override
    public Optional<ProcessSnapshot> snapshot(String id) {
        return sql(() -> statements.first(
                PostgresRows::snapshot, "SELECT " + PostgresRows.SNAPSHOT + " FROM process p WHERE p.id = ?", id));
    }

    @Override
    public List<ProcessSnapshot> snapshots(ProcessQuery query) {
        List<Object> parameters = new ArrayList<>();
        parameters.add(query.after().orElse(""));
        String condition = condition(query, parameters);
        parameters.add(query.limit());
        return sql(() -> statements.list(
                PostgresRows::snapshot,
                "SELECT " + PostgresRows.SNAPSHOT + " FROM process p WHERE p.id > ?" + condition
                        + " ORDER BY p.id LIMIT ?",
                parameters.toArray()));
    }

    private String condition(ProcessQuery query, List<Object> parameters) {
        StringBuilder condition = new StringBuilder();
        if (query.statuses().equals(Set.of(ProcessStatus.RUNNING))) {
            // As the index of those that run has it.
            condition.append(" AND p.status = 'running'");
        } else if (!query.statuses().isEmpty()) {
            condition.append(" AND p.status = ANY (?)");
            parameters.add(query.statuses().stream().map(ProcessStatus::word).toList());
        }
        if (!query.inputTypes().isEmpty()) {
            condition.append(" AND p.input_type = ANY (?)");
            parameters.add(query.inputTypes());
        }
        condition.append(" AND p.created_ms <= ? AND p.created_ms > ?");
        parameters.add(query.latestRegistration(now().wall()));
        parameters.add(query.earliestRegistration(now().wall()));
        return condition.toString();
    }

    @Override
    public List<ProcessCount> counts(ProcessQuery query) {
        List<Object> parameters = new ArrayList<>();
        String condition = condition(query, parameters);
        return sql(() -> statements.list(
                row -> new ProcessCount(row.getString(1), ProcessStatus.ofWord(row.getString(2)), row.getLong(3)),
                "SELECT p.input_type, p.status, count(*) FROM process p WHERE true" + condition
                        + " GROUP BY p.input_type, p.status ORDER BY p.input_type, p.status COLLATE \"C\"",
                parameters.toArray()));
    }

    @Override
    public Optional<Tombstone> tombstone(String id) {
        return sql(() -> statements.first(
                row -> new Tombstone(
                        id,
                        row.getLong("fence"),
                        row.getLong("last_sequence"),
                        Instant.ofEpochMilli(row.getLong("pruned_ms"))),
                "SELECT t.fence, " + LAST_OF_TOMBSTONE + " AS last_sequence, t.pruned_ms FROM process_tombstone t"
                        + " WHERE t.id = ?",
                id));
    }

    @Override
    public PruneFloor floor() {
        return sql(() -> statements.first(
                        row -> new PruneFloor(row.getLong("fence"), row.getLong("sequence")),
                        "SELECT fence, sequence FROM process_floor"))
                .orElseThrow();
    }

    @Override
    public Optional<ProcessEvent> eventOfReplayKey(ProcessHead process, String replayKey) {
        return sql(() -> statements.first(
                row -> PostgresRows.event(process.id(), row),
                "SELECT " + PostgresRows.EVENT + " FROM process_event e WHERE e.process_key = ? AND e.replay_key = ?",
                process.key(),
                replayKey));
    }

    @Override
    public Optional<ProcessEvent> firstEvent(ProcessHead process, String type, long afterSequence) {
        return sql(() -> statements.first(
                row -> PostgresRows.event(process.id(), row),
                "SELECT " + PostgresRows.EVENT + " FROM process_event e"
                        + " WHERE e.process_key = ? AND e.type = ? AND e.sequence > ? ORDER BY e.sequence LIMIT 1",
                process.key(),
                type,
                afterSequence));
    }

    @Override
    public List<ProcessEvent> events(ProcessHead process, long afterSequence, int limit) {
        return sql(() -> statements.list(
                row -> PostgresRows.event(process.id(), row),
                "SELECT " + PostgresRows.EVENT + " FROM process_event e"
                        + " WHERE e.process_key = ? AND e.sequence > ? ORDER BY e.sequence LIMIT ?",
                process.key(),
                afterSequence,
                limit));
    }

    @Override
    public Optional<WakeDelivery> wake(ProcessHead process, long sequence) {
        return sql(() -> statements.first(
                PostgresRows::wake,
                "SELECT " + PostgresRows.WAKE + " FROM process_wake w WHERE w.process_key = ? AND w.sequence = ?",
                process.key(),
                sequence));
    }

    @Override
    public List<WakeEvent> wakeEvents(ProcessHead process, long afterSequence, int limit) {
        return sql(() -> statements.list(
                row -> new WakeEvent(PostgresRows.event(process.id(), row), PostgresRows.wake(row)),
                // The sequence stands in both and is the same.
                "SELECT " + PostgresRows.EVENT + ", " + PostgresRows.WAKE
                        + " FROM process_wake w JOIN process_event e USING (process_key, sequence)"
                        + " WHERE w.process_key = ? AND w.sequence > ? AND NOT w.acknowledged"
                        + " ORDER BY w.sequence LIMIT ?",
                process.key(),
                afterSequence,
                limit));
    }

    @Override
    public List<WakeDelivery> pendingWakes(String session, Optional<WakeDelivery> after, int limit) {
        return sql(() -> statements.list(
                PostgresRows::wake,
                "SELECT " + PostgresRows.WAKE + " FROM process_wake w WHERE w.session = ? AND NOT w.acknowledged"
                        + " AND (w.process_id, w.sequence) > (?, ?) ORDER BY w.process_id, w.sequence LIMIT ?",
                session,
                after.map(WakeDelivery::processId).orElse(""),
                after.map(WakeDelivery::sequence).orElse(0L),
                limit));
    }

    @Override
    public Optional<Grant> grant(SessionScope scope, ProcessHead process) {
        return sql(() -> statements.first(
                PostgresRows::grant,
                "SELECT " + PostgresRows.GRANT + " FROM process_grant g WHERE g.scope = ? AND g.process_id = ?",
                scope.key(),
                process.id()));
    }

    @Override
    public List<GrantedProcess> grants(SessionScope scope, boolean runningOnly, Optional<String> after, int limit) {
        String running = runningOnly ? " AND p.status = 'running'" : "";
        return sql(() -> statements.list(
                row -> new GrantedProcess(PostgresRows.grant(row), PostgresRows.record(row)),
                "SELECT " + PostgresRows.GRANT + ", " + PostgresRows.RECORD
                        + " FROM process_grant g JOIN process p ON p.key = g.process_key"
                        + " WHERE g.scope = ? AND g.process_id > ?" + running + " ORDER BY g.process_id LIMIT ?",
                scope.key(),
                after.orElse(""),
                limit));
    }

    @Override
    public List<Grant> grantsOf(ProcessHead process) {
        return sql(() -> statements.list(
                PostgresRows::grant,
                "SELECT " + PostgresRows.GRANT
                        + " FROM process_grant g WHERE g.process_key = ? ORDER BY g.session, g.scope",
                process.key()));
    }

    @Override
    public List<ProcessHead> heads(Collection<String> ids) {
        return sql(() -> statements.list(
                PostgresRows::head, "SELECT " + PostgresRows.HEAD + " FROM process p WHERE p.id = ANY (?)", ids));
    }

    @Override
    public Optional<Long> claimableAt(String inputType, Set<String> hostProfiles) {
        return new PostgresClaims(statements, hostProfiles).firstAt(inputType, now().ticks());
    }

    @Override
    public Set<String> granted(Collection<String> ids) {
        return new HashSet<>(sql(() -> statements.list(
                row -> row.getString("process_id"),
                "SELECT DISTINCT g.process_id FROM process_grant g WHERE g.process_id = ANY (?)",
                ids)));
    }

    @Override
    public ChangePage changes(Optional<String> after, int limit) {
        return sql(() -> new PostgresFeed(statements).page(after, limit));
    }
}
