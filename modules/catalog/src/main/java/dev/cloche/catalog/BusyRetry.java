package dev.cloche.catalog;

import dev.cloche.base.Deadline;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Repeats the first statement of a transaction until the lock is free. SQLite has no queue of waiters and does not tell when
 * a lock is released, so this is a wait with backoff; the jitter keeps processes that began together from meeting again and
 * again.
 */
record BusyRetry(Path file, Duration patience) {
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    @FunctionalInterface
    interface Step<T> {
        T run() throws SQLException;
    }

    <T> T until(Step<T> step) throws SQLException {
        Deadline deadline = Deadline.after(patience);
        long ceiling = FIRST_PAUSE_NANOS;
        while (true) {
            try {
                return step.run();
            } catch (SQLException e) {
                if (!SqliteErrors.isBusy(e)) {
                    throw e;
                }
                if (deadline.passed()) {
                    throw new CatalogException.Busy(file, "its lock was not free within " + patience, e);
                }
                pause(ThreadLocalRandom.current().nextLong(ceiling / 2, ceiling), e);
                ceiling = Math.min(ceiling * 2, LONGEST_PAUSE_NANOS);
            }
        }
    }

    private void pause(long nanos, SQLException cause) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CatalogException.Busy(file, "the wait for its lock was interrupted", cause);
        }
    }
}
