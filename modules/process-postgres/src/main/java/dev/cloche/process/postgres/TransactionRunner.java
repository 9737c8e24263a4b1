package dev.cloche.process.postgres;

import com.zaxxer.hikari.HikariDataSource;
import dev.cloche.base.Deadline;
import dev.cloche.process.ProcessException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Runs transactions, and runs them again where that is known to be harmless: if the server undid one for the sake of
 * another, or if its connection was lost before it was to be committed. What is lost while it commits is in doubt, and so
 * an error.
 */
final class TransactionRunner {
    private static final int ATTEMPTS = 6;

    private final HikariDataSource pool;
    private final Duration statementTimeout;

    /** @param statementTimeout that the connections have by themselves */
    TransactionRunner(HikariDataSource pool, Duration statementTimeout) {
        this.pool = pool;
        this.statementTimeout = statementTimeout;
    }

    /** Statements in one transaction; they are committed when it returns. */
    @FunctionalInterface
    interface Body<T> {
        T run(Statements statements) throws SQLException;
    }

    /** Each statement sees what was committed before it. */
    <T> T writing(Body<T> body) {
        return repeated(List::of, body);
    }

    /**
     * All statements see the same, which is what was committed before the first.
     *
     * @param deadline after which the server ends what it does for this, if that is sooner than it would anyway
     */
    <T> T reading(Deadline deadline, Body<T> body) {
        return repeated(() -> settings(deadline), body);
    }

    private List<String> settings(Deadline deadline) {
        String snapshot = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";
        long left = Math.max(1, deadline.remainingMillis());
        return left < statementTimeout.toMillis()
                ? List.of(snapshot, "SET LOCAL statement_timeout TO " + left)
                : List.of(snapshot);
    }

    private <T> T repeated(Supplier<List<String>> prologue, Body<T> body) {
        for (int attempt = 1; ; attempt++) {
            Attempt<T> made = new Attempt<>(prologue.get(), body);
            try {
                return made.run();
            } catch (SQLTransientConnectionException noConnection) {
                throw PostgresErrors.failed(noConnection);
            } catch (SQLException e) {
                boolean harmless = PostgresErrors.isUndone(e) || (PostgresErrors.isDisconnected(e) && !made.committing);
                if (!harmless || attempt == ATTEMPTS) {
                    throw PostgresErrors.failed(e);
                }
            }
            pause(attempt);
        }
    }

    /** So that transactions which met do not meet again. */
    private static void pause(int attempt) {
        try {
            TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextLong(1, 4L << attempt));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProcessException.Closed();
        }
    }

    private final class Attempt<T> {
        private final List<String> prologue;
        private final Body<T> body;
        private boolean committing;

        Attempt(List<String> prologue, Body<T> body) {
            this.prologue = prologue;
            this.body = body;
        }

        T run() throws SQLException {
            try (Connection connection = pool.getConnection()) {
                try {
                    Statements statements = new Statements(connection);
                    prologue.forEach(statements::later);
                    T result = body.run(statements);
                    statements.run();
                    committing = true;
                    connection.commit();
                    return result;
                } catch (FailedStatement e) {
                    rollback(connection, e.reason());
                    throw e.reason();
                } catch (Throwable e) {
                    rollback(connection, e);
                    throw e;
                }
            }
        }
    }

    private void rollback(Connection connection, Throwable failure) {
        try {
            connection.rollback();
        } catch (SQLException second) {
            failure.addSuppressed(second);
            pool.evictConnection(connection);
        }
    }
}
