package dev.cloche.process.sqlite;

import dev.cloche.process.Change;
import dev.cloche.process.store.ProcessStore;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Keeps one write of a group: its work, and how it went. Used by the leader, and then by its caller. */
public final class QueuedWrite<T> {
    private final ProcessStore.Work<T> work;
    private List<Change> changes = List.of();
    private FeedRange positions = FeedRange.NONE;
    private Optional<Throwable> failure = Optional.empty();
    private @Nullable T result;

    public QueuedWrite(ProcessStore.Work<T> work) {
        this.work = work;
    }

    /** Runs it in a transaction of its own. */
    public void runAlone(SqliteTransaction transaction) throws SQLException {
        run(transaction);
    }

    /**
     * Runs it in a transaction that others share, without a savepoint, which most need not have: what is refused is nearly
     * always refused before it has written anything.
     *
     * @return false if it was refused after that, and so the whole transaction has to be undone
     */
    public boolean runUnguarded(SqliteTransaction transaction) throws SQLException {
        try {
            run(transaction);
        } catch (RuntimeException | Error refused) {
            fail(refused);
            return !transaction.wrote();
        }
        return true;
    }

    /** Runs it in a transaction that others share, of which it takes nothing with it if it is refused. */
    public void runGuarded(SqliteTransaction transaction) throws SQLException {
        transaction.savepoint();
        try {
            run(transaction);
        } catch (RuntimeException | Error refused) {
            fail(refused);
            transaction.undo();
        }
        transaction.release();
    }

    private void run(SqliteTransaction transaction) throws SQLException {
        failure = Optional.empty();
        try {
            result = work.run(transaction);
        } catch (SqlStatements.Failed e) {
            throw e.failure();
        }
        changes = List.copyOf(transaction.changes());
        positions = transaction.positions();
    }

    /** Records that what it was to do has not been done, also if it ran in the transaction. */
    public void fail(Throwable why) {
        changes = List.of();
        positions = FeedRange.NONE;
        failure = Optional.of(why);
    }

    public FeedRange positions() {
        return positions;
    }

    public List<Change> changes() {
        return changes;
    }

    /** Returns what the work returned, or throws what it threw. */
    @SuppressWarnings("NullAway") // Null only if the work returned null.
    public T outcome() {
        failure.ifPresent(QueuedWrite::rethrow);
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
