package dev.cloche.process.postgres;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool;
import dev.cloche.base.Deadline;
import dev.cloche.process.Change;
import dev.cloche.process.Durability;
import dev.cloche.process.ProcessException;
import dev.cloche.process.store.CommitListener;
import dev.cloche.process.store.ProcessStore;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Processes in a PostgreSQL database, shared by any number of hosts. Writers of one process wait for each other, those of
 * different ones do not. Time is the server's clock alone.
 *
 * <p>Needs PostgreSQL 14 or later, and a database whose encoding is UTF-8. Safe for use from many threads.
 */
@SuppressWarnings("exports") // Only the registry calls what a store does.
public final class PostgresProcessStore implements ProcessStore {
    private static final int OLDEST_SERVER = 140_000;

    private final PostgresConfig config;
    private final HikariDataSource pool;
    private final String clock;
    private final UninterruptibleExecutor executor;
    private final TransactionRunner transactions;
    private final SharedWrites shared;
    private final Durability durability;
    private final String sender = UUID.randomUUID().toString();
    private final NotificationSender notifier;
    private final ReentrantLock lifecycle = new ReentrantLock();
    private volatile CommitListener target = NO_LISTENER;
    private boolean taken; // whether a registry listens; under the lock
    private volatile @Nullable NotificationListener listener;
    private volatile boolean closed;

    private static final CommitListener NO_LISTENER = new CommitListener() {
        @Override
        public void committed(Collection<Change> changes) {}

        @Override
        public void unknownCommitted() {}
    };

    /**
     * Opens the store and brings its tables up to date.
     *
     * @throws PostgresException if the database cannot be reached, is not fit, or is ahead of this program
     */
    public static PostgresProcessStore open(PostgresConfig config) {
        return open(config, PostgresReads.SERVER_CLOCK);
    }

    static PostgresProcessStore open(PostgresConfig config, String clock) {
        try {
            PostgresMigrations.run(config);
            HikariDataSource pool = PostgresConnections.pool(config);
            try {
                return new PostgresProcessStore(config, pool, clock);
            } catch (RuntimeException e) {
                pool.close();
                throw e;
            }
        } catch (SQLException | HikariPool.PoolInitializationException | ProcessException.StoreFailed e) {
            throw new PostgresException.Unavailable(config, e);
        }
    }

    private PostgresProcessStore(PostgresConfig config, HikariDataSource pool, String clock) {
        this.config = config;
        this.pool = pool;
        this.clock = clock;
        this.transactions = new TransactionRunner(pool, config.statementTimeout());
        this.durability = transactions.reading(Deadline.none(), PostgresProcessStore::examine);
        this.executor = new UninterruptibleExecutor("cloche-process-" + config.schema(), config.connections());
        this.notifier = new NotificationSender(config, sender);
        this.shared = new SharedWrites(executor, transactions, clock, this::tell);
    }

    /** What the server promises; a server that does not force its log to the disk promises nothing. */
    private static Durability examine(Statements statements) throws SQLException {
        Server server = statements
                .first(
                        row -> new Server(
                                row.getInt("version"),
                                row.getString("encoding"),
                                row.getBoolean("forced"),
                                row.getBoolean("whole")),
                        "SELECT current_setting('server_version_num')::integer AS version,"
                                + " current_setting('server_encoding') AS encoding,"
                                + " current_setting('fsync')::boolean AS forced,"
                                + " current_setting('full_page_writes')::boolean AS whole")
                .orElseThrow();
        if (server.version() < OLDEST_SERVER) {
            throw new PostgresException.Refused("its server is older than PostgreSQL 14");
        }
        if (!server.encoding().equals("UTF8")) {
            throw new PostgresException.Refused("its encoding is " + server.encoding() + ", and not UTF8");
        }
        return server.forced() && server.whole() ? Durability.DURABLE : Durability.VOLATILE;
    }

    private record Server(int version, String encoding, boolean forced, boolean whole) {}

    @Override
    public <T> T write(Work<T> work) {
        record Outcome<T>(T result, List<Change> changes) {}
        Outcome<T> outcome = executor.call(
                () -> transactions.writing(statements -> {
                    PostgresTransaction transaction = new PostgresTransaction(statements, clock, Set.of());
                    return new Outcome<>(work.run(transaction), transaction.changes());
                }),
                Deadline.none());
        if (!outcome.changes().isEmpty()) {
            tell(outcome.changes());
        }
        return outcome.result();
    }

    @Override
    public <T> T write(String processId, Work<T> work) {
        return write(processId, Optional.empty(), work);
    }

    @Override
    public <T> T write(String processId, Optional<String> replayKey, Work<T> work) {
        return shared.run(processId, replayKey, work);
    }

    private void tell(Collection<Change> changes) {
        target.committed(changes);
        notifier.tell(changes);
    }

    @Override
    public <T> T read(Query<T> query, Deadline deadline) {
        return executor.call(
                () -> transactions.reading(deadline, statements -> query.run(new PostgresReads(statements, clock))),
                deadline);
    }

    @Override
    public Durability durability() {
        return durability;
    }

    @Override
    public void listen(CommitListener commits) {
        lifecycle.lock();
        try {
            if (taken) {
                throw new ProcessException.StoreInUse();
            }
            taken = true;
            target = commits;
        } finally {
            lifecycle.unlock();
        }
    }

    @Override
    public void watchOthers(Deadline deadline) {
        if (listener == null) {
            lifecycle.lock();
            try {
                if (listener == null && !closed) {
                    listener = new NotificationListener(config, sender, target, new FeedTail(transactions, target));
                }
            } finally {
                lifecycle.unlock();
            }
        }
        NotificationListener started = listener;
        if (started != null) {
            started.awaitStart(deadline);
        }
    }

    /** Waits for the transactions that run. Closing twice does nothing. */
    @Override
    public void close() {
        lifecycle.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
        } finally {
            lifecycle.unlock();
        }
        NotificationListener started = listener;
        if (started != null) {
            started.close();
        }
        executor.close();
        notifier.close();
        pool.close();
    }
}
