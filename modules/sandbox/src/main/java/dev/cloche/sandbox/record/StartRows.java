package dev.cloche.sandbox.record;

import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.sandbox.RunStart;
import dev.cloche.sandbox.StartKind;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads and writes the rows of how runs began: a start writes and {@code inspect} reads them, nothing else does. */
public final class StartRows {
    private StartRows() {}

    /**
     * Says how the VM of a run came to be.
     *
     * @param pool whose VM it could have been, and was if it is warm
     */
    public record Note(StartKind kind, Duration image, Duration boot, Optional<Long> pool) {}

    /** Writes the note of the run that has not ended. */
    static void insert(CatalogTransaction transaction, long sandbox, Note note) throws SQLException {
        transaction.update(
                """
                INSERT INTO run_start (run_id, kind, image_time, boot_time)
                SELECT id, ?, ?, ? FROM run WHERE sandbox_id = ? AND status = 'RUNNING'
                """, note.kind().name(), note.image().toMillis(), note.boot().toMillis(), sandbox);
        if (note.pool().isPresent()) {
            transaction.update(
                    note.kind() == StartKind.WARM
                            ? "UPDATE pool SET hits = hits + 1 WHERE id = ?"
                            : "UPDATE pool SET misses = misses + 1 WHERE id = ?",
                    note.pool().get());
        }
    }

    /** Reads the notes of all runs of a sandbox that are kept. */
    static List<RunStart> read(CatalogTransaction transaction, long sandbox) throws SQLException {
        return transaction.list(
                row -> new RunStart(
                        row.getLong(1),
                        StartKind.valueOf(row.getString(2)),
                        Duration.ofMillis(row.getLong(3)),
                        Duration.ofMillis(row.getLong(4))),
                """
                SELECT s.run_id, s.kind, s.image_time, s.boot_time
                FROM run_start s JOIN run r ON r.id = s.run_id WHERE r.sandbox_id = ?
                """,
                sandbox);
    }
}
