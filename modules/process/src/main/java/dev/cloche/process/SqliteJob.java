package dev.cloche.process;

import dev.cloche.catalog.Session;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One write in a group: its work, and how it went. Used by the leader, and then by its caller. */
final class SqliteJob<T> {
    private final ProcessStore.Work<T> work;
    private List<Change> changes = List.of();
    private Optional<Throwable> failure = Optional.empty();
    private @Nullable T result;

    SqliteJob(ProcessStore.Work<T> work) {
        this.work = work;
    }

    /** Runs it in a transaction of its own. */
    void runAlone(Session session, StoreClock clock) throws SQLException {
        SqliteTransaction transaction = new SqliteTransaction(session, clock);
        try {
            result = work.run(transaction);
        } catch (Sql.Failed e) {
            throw e.failure();
        }
        changes = new ArrayList<>(transaction.changes());
    }

    /** Runs it in a transaction that others share, of which it takes nothing with it if it fails. */
    void runAmongOthers(Session session, StoreClock clock) throws SQLException {
        session.update("SAVEPOINT one");
        try {
            runAlone(session, clock);
            session.update("RELEASE one");
        } catch (RuntimeException | Error refused) {
            session.update("ROLLBACK TO one");
            session.update("RELEASE one");
            failure = Optional.of(refused);
        }
    }

    /** What it was to do has not been done, whatever became of it in the transaction. */
    void fail(Throwable why) {
        changes = List.of();
        failure = Optional.of(why);
    }

    List<Change> changes() {
        return changes;
    }

    /** What the work returned or threw. */
    @SuppressWarnings("NullAway") // Null only if the work returned null.
    T outcome() {
        failure.ifPresent(SqliteJob::rethrow);
        return result;
    }

    private static void rethrow(Throwable failure) {
        switch (failure) {
            case RuntimeException refused -> throw refused;
            case Error error -> throw error;
            default -> throw new IllegalStateException(failure);
        }
    }
}
