package dev.cloche.process.sqlite;

import dev.cloche.process.AwaitOutput;
import dev.cloche.process.Backoff;
import dev.cloche.process.Change;
import dev.cloche.process.ExternalRef;
import dev.cloche.process.Grant;
import dev.cloche.process.HandleDescriptor;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessRecord;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.RecoveryPolicy;
import dev.cloche.process.SessionScope;
import dev.cloche.process.WakeDelivery;
import dev.cloche.process.store.LeaseRow;
import dev.cloche.process.store.PauseRow;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.ProcessSnapshot;
import dev.cloche.process.store.RegistrationJson;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Maps the rows of the SQLite tables to records. Stateless. */
final class SqliteRows {
    static final String HEAD = """
            SELECT p.key, p.id, p.hash, p.status, p.recovery, p.attempts_allowed, p.lease_required, p.last_sequence,
                   p.fence, p.attempts, p.lease_owner, p.lease_token, p.lease_epoch, p.lease_expires, p.lease_claimed_at,
                   p.first_sequence, p.pause_epoch, p.pause_until, p.returns, p.retry_first, p.retry_most
            FROM process p
            """;

    static final String RECORD_COLUMNS = """
            d.registration, p.hash, d.output, d.external_backend, d.external_id, d.external_metadata, p.first_sequence, p.last_sequence,
            p.attempts, p.created_at, p.updated_at
            """;

    /** The columns of the head have the first places. */
    static final String SNAPSHOT = HEAD.replace(
            "FROM process p",
            ", p.started_at, d.returned_for, d.lost_owner, " + RECORD_COLUMNS
                    + " FROM process p JOIN process_detail d ON d.process = p.key");

    static final String EVENT_COLUMNS =
            "e.sequence, e.type, e.payload, e.payload_hash, e.replay_key, e.caused_by, e.at";

    static final String WAKE_COLUMNS = "w.sequence, w.wake_id, w.session, w.frame, w.event_type, w.input, w.dedupe_key";

    private SqliteRows() {}

    /** By the places of the columns in {@link #HEAD}: it is read with every write, and names have to be looked up. */
    static ProcessHead head(ResultSet row) throws SQLException {
        long fence = row.getLong(9);
        String leaseOwner = row.getString(11);
        return new ProcessHead(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                ProcessStatus.ofWord(row.getString(4)),
                recovery(row),
                row.getInt(7) == 1,
                row.getLong(16),
                row.getLong(8),
                fence,
                row.getInt(10),
                leaseOwner == null ? Optional.empty() : Optional.of(lease(row, leaseOwner, fence)),
                pause(row),
                row.getInt(19));
    }

    private static Optional<PauseRow> pause(ResultSet row) throws SQLException {
        String epoch = row.getString(17);
        return epoch == null ? Optional.empty() : Optional.of(new PauseRow(epoch, row.getLong(18)));
    }

    private static RecoveryPolicy recovery(ResultSet row) throws SQLException {
        return switch (row.getString(5)) {
            case "rerunnable" -> rerunnable(row);
            case "owner_bound" -> new RecoveryPolicy.OwnerBound();
            default -> new RecoveryPolicy.ExternallyOwned();
        };
    }

    private static RecoveryPolicy rerunnable(ResultSet row) throws SQLException {
        int attempts = row.getInt(6);
        long first = row.getLong(20);
        return row.wasNull()
                ? new RecoveryPolicy.Rerunnable(attempts)
                : new RecoveryPolicy.Retrying(
                        attempts - 1, new Backoff(Duration.ofMillis(first), Duration.ofMillis(row.getLong(21))));
    }

    /** The fence of a lease that is recorded is the latest that was given. */
    private static LeaseRow lease(ResultSet row, String owner, long fence) throws SQLException {
        return new LeaseRow(
                owner,
                row.getString(12),
                fence,
                row.getString(13),
                row.getLong(14),
                Instant.ofEpochMilli(row.getLong(15)));
    }

    static ProcessRecord record(ResultSet row) throws SQLException {
        String backend = row.getString("external_backend");
        return new ProcessRecord(
                RegistrationJson.read(Json.ofCanonical(row.getString("registration"))),
                row.getString("hash"),
                SqlStatements.json(row, "output").map(AwaitOutput::of),
                backend == null
                        ? Optional.empty()
                        : Optional.of(new ExternalRef(
                                backend, row.getString("external_id"), SqlStatements.json(row, "external_metadata"))),
                row.getLong("first_sequence"),
                row.getLong("last_sequence"),
                row.getInt("attempts"),
                SqlStatements.instant(row, "created_at"),
                SqlStatements.instant(row, "updated_at"));
    }

    static ProcessSnapshot snapshot(ResultSet row) throws SQLException {
        long startedAt = row.getLong("started_at");
        boolean unknown = row.wasNull();
        return new ProcessSnapshot(
                head(row),
                record(row),
                unknown ? Optional.empty() : Optional.of(Instant.ofEpochMilli(startedAt)),
                SqlStatements.text(row, "returned_for"),
                SqlStatements.text(row, "lost_owner"));
    }

    static ProcessEvent event(String processId, ResultSet row) throws SQLException {
        return new ProcessEvent(
                processId,
                row.getLong("sequence"),
                row.getString("type"),
                Json.ofCanonical(row.getString("payload")),
                row.getString("payload_hash"),
                SqlStatements.text(row, "replay_key"),
                SqlStatements.json(row, "caused_by"),
                SqlStatements.instant(row, "at"));
    }

    static WakeDelivery wake(String processId, ResultSet row) throws SQLException {
        return new WakeDelivery(
                row.getString("wake_id"),
                scope(row),
                processId,
                row.getLong("sequence"),
                row.getString("event_type"),
                Json.ofCanonical(row.getString("input")),
                row.getString("dedupe_key"));
    }

    static Grant grant(String processId, ResultSet row) throws SQLException {
        return new Grant(
                scope(row),
                processId,
                new HandleDescriptor(SqlStatements.text(row, "kind"), SqlStatements.text(row, "label")));
    }

    private static SessionScope scope(ResultSet row) throws SQLException {
        return new SessionScope(row.getString("session"), SqlStatements.text(row, "frame"));
    }

    static Change change(ResultSet row) throws SQLException {
        return new Change(
                row.getString("process_id"),
                Change.Kind.valueOf(row.getString("kind")),
                row.getLong("sequence"),
                SqlStatements.text(row, "event_type"));
    }
}
