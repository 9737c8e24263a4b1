package dev.cloche.process.postgres;

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
import java.util.Locale;
import java.util.Optional;

/** Maps rows to values. Stateless. */
final class PostgresRows {
    static final String RERUNNABLE = "rerunnable";
    static final String OWNER_BOUND = "owner_bound";
    static final String EXTERNALLY_OWNED = "externally_owned";

    static final String HEAD = "p.key, p.id, p.hash, p.status, p.recovery, p.recovery_attempts, p.lease_required,"
            + " p.last_sequence, p.fence, p.attempts, p.lease_owner, p.lease_token, p.lease_fence, p.lease_epoch,"
            + " p.lease_expires_ms, p.lease_claimed_ms, p.first_sequence, p.pause_until_ms, p.returns, p.retry_first_ms,"
            + " p.retry_most_ms";
    static final String RECORD = "p.registration, p.hash, p.output, p.external_backend, p.external_id,"
            + " p.external_metadata, p.first_sequence, p.last_sequence, p.attempts, p.created_ms, p.updated_ms";
    static final String SNAPSHOT = HEAD
            + ", p.registration, p.output, p.external_backend, p.external_id, p.external_metadata, p.created_ms,"
            + " p.updated_ms, p.started_ms, p.returned_for, p.lost_owner";
    static final String EVENT = "e.sequence, e.type, e.payload, e.payload_hash, e.replay_key, e.caused_by, e.at_ms";
    static final String WAKE =
            "w.wake_id, w.session, w.frame, w.process_id, w.sequence, w.event_type, w.input," + " w.dedupe_key";
    static final String GRANT = "g.session, g.frame, g.process_id, g.kind, g.label";

    private PostgresRows() {}

    static ProcessHead head(ResultSet row) throws SQLException {
        Optional<LeaseRow> lease = Optional.empty();
        String owner = row.getString("lease_owner");
        if (owner != null) {
            lease = Optional.of(new LeaseRow(
                    owner,
                    row.getString("lease_token"),
                    row.getLong("lease_fence"),
                    row.getString("lease_epoch"),
                    row.getLong("lease_expires_ms"),
                    Instant.ofEpochMilli(row.getLong("lease_claimed_ms"))));
        }
        return new ProcessHead(
                row.getLong("key"),
                row.getString("id"),
                row.getString("hash"),
                ProcessStatus.ofWord(row.getString("status")),
                recovery(row),
                row.getBoolean("lease_required"),
                row.getLong("first_sequence"),
                row.getLong("last_sequence"),
                row.getLong("fence"),
                row.getInt("attempts"),
                lease,
                number(row, "pause_until_ms").map(until -> new PauseRow(PostgresReads.EPOCH, until)),
                row.getInt("returns"));
    }

    private static RecoveryPolicy recovery(ResultSet row) throws SQLException {
        String word = row.getString("recovery");
        int attempts = row.getInt("recovery_attempts");
        Optional<Long> first = number(row, "retry_first_ms");
        if (first.isPresent()) {
            Duration longest = Duration.ofMillis(row.getLong("retry_most_ms"));
            return new RecoveryPolicy.Retrying(attempts - 1, new Backoff(Duration.ofMillis(first.get()), longest));
        }
        return switch (word) {
            case RERUNNABLE -> new RecoveryPolicy.Rerunnable(attempts);
            case OWNER_BOUND -> new RecoveryPolicy.OwnerBound();
            case EXTERNALLY_OWNED -> new RecoveryPolicy.ExternallyOwned();
            default -> throw new IllegalStateException("a row has the recovery " + word);
        };
    }

    static ProcessRecord record(ResultSet row) throws SQLException {
        String backend = row.getString("external_backend");
        Optional<ExternalRef> external = backend == null
                ? Optional.empty()
                : Optional.of(new ExternalRef(backend, row.getString("external_id"), json(row, "external_metadata")));
        return new ProcessRecord(
                RegistrationJson.read(Json.ofCanonical(row.getString("registration"))),
                row.getString("hash"),
                json(row, "output").map(AwaitOutput::of),
                external,
                row.getLong("first_sequence"),
                row.getLong("last_sequence"),
                row.getInt("attempts"),
                Instant.ofEpochMilli(row.getLong("created_ms")),
                Instant.ofEpochMilli(row.getLong("updated_ms")));
    }

    static ProcessSnapshot snapshot(ResultSet row) throws SQLException {
        return new ProcessSnapshot(
                head(row),
                record(row),
                number(row, "started_ms").map(Instant::ofEpochMilli),
                Optional.ofNullable(row.getString("returned_for")),
                Optional.ofNullable(row.getString("lost_owner")));
    }

    static ProcessEvent event(String processId, ResultSet row) throws SQLException {
        return new ProcessEvent(
                processId,
                row.getLong("sequence"),
                row.getString("type"),
                Json.ofCanonical(row.getString("payload")),
                row.getString("payload_hash"),
                Optional.ofNullable(row.getString("replay_key")),
                json(row, "caused_by"),
                Instant.ofEpochMilli(row.getLong("at_ms")));
    }

    static WakeDelivery wake(ResultSet row) throws SQLException {
        return new WakeDelivery(
                row.getString("wake_id"),
                scope(row),
                row.getString("process_id"),
                row.getLong("sequence"),
                row.getString("event_type"),
                Json.ofCanonical(row.getString("input")),
                row.getString("dedupe_key"));
    }

    static Grant grant(ResultSet row) throws SQLException {
        return new Grant(
                scope(row),
                row.getString("process_id"),
                new HandleDescriptor(
                        Optional.ofNullable(row.getString("kind")), Optional.ofNullable(row.getString("label"))));
    }

    static Change change(ResultSet row) throws SQLException {
        return new Change(
                row.getString("process_id"),
                kind(row.getString("kind")),
                row.getLong("sequence"),
                Optional.ofNullable(row.getString("event_type")));
    }

    static String word(Change.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    static Change.Kind kind(String word) {
        return Change.Kind.valueOf(word.toUpperCase(Locale.ROOT));
    }

    private static SessionScope scope(ResultSet row) throws SQLException {
        return new SessionScope(row.getString("session"), Optional.ofNullable(row.getString("frame")));
    }

    private static Optional<Long> number(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? Optional.empty() : Optional.of(value);
    }

    private static Optional<Json> json(ResultSet row, String column) throws SQLException {
        return Optional.ofNullable(row.getString(column)).map(Json::ofCanonical);
    }
}
