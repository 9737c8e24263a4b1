package dev.cloche.sandbox.record;

import dev.cloche.base.EnumNames;
import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.sandbox.SandboxEvent;
import dev.cloche.sandbox.Termination;
import dev.cloche.sandbox.TerminationReason;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Reads and writes the rows of events. Each is written in the transaction of what it tells, so there is none of what
 * did not happen.
 */
public final class EventRows {
    /** How many are kept. */
    public static final long KEPT = 10_000;

    /** What is read at once. */
    private static final int PAGE = 500;

    private EventRows() {}

    static void append(CatalogTransaction transaction, long sandbox, SandboxEvent.Kind kind, long now)
            throws SQLException {
        append(transaction, sandbox, kind, Optional.empty(), "", now);
    }

    /** @param sandbox whose row is there still */
    static void append(
            CatalogTransaction transaction,
            long sandbox,
            SandboxEvent.Kind kind,
            Optional<Termination> termination,
            String detail,
            long now)
            throws SQLException {
        record Written(long id, String name) {}
        Optional<Written> event = transaction.first(
                row -> new Written(row.getLong(1), row.getString(2)),
                """
                INSERT INTO sandbox_event (at, kind, sandbox_id, name, image, reason, exit_code, exit_signal, detail)
                SELECT ?, ?, id, name, image, ?, ?, ?, ? FROM sandbox WHERE id = ? RETURNING id, name
                """,
                now,
                kind.name(),
                termination.map(end -> end.reason().name()),
                termination.flatMap(end -> SandboxRows.boxed(end.exitCode())),
                termination.flatMap(end -> SandboxRows.boxed(end.exitSignal())),
                termination.map(Termination::detail).orElse(detail),
                sandbox);
        if (event.isPresent()) {
            transaction.update(
                    "DELETE FROM sandbox_event WHERE id <= ?", event.get().id() - KEPT);
            log(sandbox, event.get().name(), kind, termination);
        }
    }

    /** Names and ids only: what a sandbox was given and what it says is its own. */
    private static void log(long sandbox, String name, SandboxEvent.Kind kind, Optional<Termination> termination) {
        System.getLogger(SandboxEvent.class.getName())
                .log(
                        System.Logger.Level.DEBUG,
                        () -> "sandbox " + name + " (" + sandbox + "): " + EnumNames.of(kind)
                                + termination
                                        .map(end -> ", " + EnumNames.of(end.reason()))
                                        .orElse(""));
    }

    /** Returns the events after one, the oldest first, as many as are read at once. */
    static List<SandboxEvent> after(CatalogTransaction transaction, long id) throws SQLException {
        return transaction.list(
                EventRows::read, "SELECT * FROM sandbox_event WHERE id > ? ORDER BY id LIMIT " + PAGE, id);
    }

    /** Returns the id before the first event that is kept and not older than this. */
    static long before(CatalogTransaction transaction, Instant since) throws SQLException {
        return transaction
                .first(
                        row -> row.getLong(1),
                        "SELECT coalesce(min(id) - 1, (SELECT coalesce(max(id), 0) FROM sandbox_event))"
                                + " FROM sandbox_event WHERE at >= ?",
                        since.toEpochMilli())
                .orElse(0L);
    }

    /** Returns the id of the latest event. */
    static long latest(CatalogTransaction transaction) throws SQLException {
        return transaction
                .first(row -> row.getLong(1), "SELECT coalesce(max(id), 0) FROM sandbox_event")
                .orElse(0L);
    }

    private static SandboxEvent read(ResultSet row) throws SQLException {
        String reason = row.getString("reason");
        SandboxEvent.Kind kind = SandboxEvent.Kind.valueOf(row.getString("kind"));
        String detail = row.getString("detail");
        Optional<Termination> termination = reason == null
                ? Optional.empty()
                : Optional.of(new Termination(
                        TerminationReason.valueOf(reason),
                        // A signal is the one reason whose status depends on it.
                        kind == SandboxEvent.Kind.STOPPED,
                        SandboxRows.number(row, "exit_code"),
                        SandboxRows.number(row, "exit_signal"),
                        detail));
        return new SandboxEvent(
                row.getLong("id"),
                Instant.ofEpochMilli(row.getLong("at")),
                kind,
                row.getLong("sandbox_id"),
                row.getString("name"),
                row.getString("image"),
                termination,
                termination.isPresent() ? "" : detail);
    }
}
