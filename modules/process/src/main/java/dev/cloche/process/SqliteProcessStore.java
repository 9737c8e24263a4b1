package dev.cloche.process;

import dev.cloche.base.Deadline;
import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogException;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.process.sqlite.BootClock;
import dev.cloche.process.sqlite.CommitSignal;
import dev.cloche.process.sqlite.FeedRange;
import dev.cloche.process.sqlite.FeedWatch;
import dev.cloche.process.sqlite.QueuedWrite;
import dev.cloche.process.sqlite.SqlStatements;
import dev.cloche.process.sqlite.SqliteFeed;
import dev.cloche.process.sqlite.SqliteReads;
import dev.cloche.process.sqlite.SqliteTransaction;
import dev.cloche.process.store.CommitListener;
import dev.cloche.process.store.GroupCommit;
import dev.cloche.process.store.ProcessStore;
import dev.cloche.process.store.StoreClock;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The store of one host: tables in its catalog, shared by all its programs. Writes that come at once share a commit, and
 * none is acknowledged before that commit is on the disk. Other programs are told by a {@link CommitSignal}.
 *
 * <p>Safe for use from many threads. The catalog stays open when this is closed.
 */
@SuppressWarnings("exports") // Only the registry calls what a store does.
public final class SqliteProcessStore implements ProcessStore {
    private final Catalog catalog;
    private final StoreClock clock;
    private final CommitSignal signal;
    private final GroupCommit<QueuedWrite<?>> commits = new GroupCommit<>(new GroupCommit.Batch<QueuedWrite<?>>() {
        @Override
        public void run(List<QueuedWrite<?>> jobs) {
            runTogether(jobs);
        }

        @Override
        public void tell(List<QueuedWrite<?>> jobs) {
            tellOf(jobs);
        }
    });
    private volatile @Nullable CommitListener listener;
    private volatile @Nullable FeedWatch watching;
    private volatile boolean closed;

    private SqliteProcessStore(Catalog catalog, StoreClock clock, CommitSignal signal) {
        this.catalog = catalog;
        this.clock = clock;
        this.signal = signal;
    }

    /** Returns the tables of this room. */
    public static CatalogSchema schema() {
        return new CatalogSchema(
                "process",
                "META-INF/cloche/migrations/process",
                List.of(
                        CatalogSchema.Migration.additive(
                                "processes", "processes, their events, wakes, handles and leases"),
                        CatalogSchema.Migration.changing(
                                "events_are_the_feed", "events are their own entries of the feed", true, false),
                        CatalogSchema.Migration.changing(
                                "lives_pauses_and_bounds",
                                "lives of ids, pauses, profiles of hosts, and bounds of the feed",
                                true,
                                false)));
    }

    /**
     * Opens the store in a catalog that was opened with {@link #schema}.
     *
     * @param stateRoot of that catalog; the doorbell is in it
     * @throws ProcessException.StoreFailed if the doorbell cannot be made, or the time of this boot not be read
     */
    public static SqliteProcessStore open(Catalog catalog, Path stateRoot) {
        return open(catalog, stateRoot, BootClock.ofHost(Clock.systemUTC()));
    }

    static SqliteProcessStore open(Catalog catalog, Path stateRoot, StoreClock clock) {
        return new SqliteProcessStore(catalog, clock, CommitSignal.at(stateRoot.resolve("doorbell")));
    }

    @Override
    public <T> T write(Work<T> work) {
        requireOpen();
        QueuedWrite<T> job = new QueuedWrite<>(work);
        commits.run(job);
        return job.outcome();
    }

    private void runTogether(List<QueuedWrite<?>> jobs) {
        try {
            if (!commit(jobs, jobs.size() > 1 ? this::runUnguarded : this::runAlone)) {
                commit(jobs, this::runGuarded);
            }
        } catch (CatalogException e) {
            // What one was refused for may have been what another did, which is undone now as well.
            jobs.forEach(job -> job.fail(failed(e)));
        } catch (RuntimeException | Error refused) {
            jobs.forEach(job -> job.fail(refused));
        }
    }

    private interface Way {
        /** Returns false if all has to be undone, to be done in another way. */
        boolean run(List<QueuedWrite<?>> jobs, Supplier<SqliteTransaction> transactions) throws SQLException;
    }

    /** Undoes a transaction that is to be done in another way. */
    private static final class Undone extends Exception {
        Undone() {
            super("to be done in another way", null, false, false);
        }
    }

    private boolean commit(List<QueuedWrite<?>> jobs, Way way) {
        try {
            return catalog.<Boolean, Undone>write(transaction -> {
                SqliteFeed feed = new SqliteFeed(new SqlStatements(transaction));
                if (!way.run(jobs, () -> new SqliteTransaction(transaction, clock, feed))) {
                    throw new Undone();
                }
                return true;
            });
        } catch (Undone e) {
            return false;
        }
    }

    private boolean runAlone(List<QueuedWrite<?>> jobs, Supplier<SqliteTransaction> transactions) throws SQLException {
        jobs.getFirst().runAlone(transactions.get());
        return true;
    }

    private boolean runUnguarded(List<QueuedWrite<?>> jobs, Supplier<SqliteTransaction> transactions)
            throws SQLException {
        for (QueuedWrite<?> job : jobs) {
            if (!job.runUnguarded(transactions.get())) {
                return false;
            }
        }
        return true;
    }

    private boolean runGuarded(List<QueuedWrite<?>> jobs, Supplier<SqliteTransaction> transactions)
            throws SQLException {
        for (QueuedWrite<?> job : jobs) {
            job.runGuarded(transactions.get());
        }
        return true;
    }

    private void tellOf(List<QueuedWrite<?>> jobs) {
        List<Change> changes = new ArrayList<>();
        FeedRange positions = FeedRange.NONE;
        for (QueuedWrite<?> job : jobs) {
            changes.addAll(job.changes());
            positions = positions.and(job.positions());
        }
        if (changes.isEmpty()) {
            return;
        }
        CommitListener told = listener;
        if (told != null) {
            told.committed(changes);
        }
        FeedWatch watch = watching;
        if (watch != null) {
            watch.told(positions);
        }
        signal.ring();
    }

    @Override
    public <T> T read(Query<T> query, Deadline deadline) {
        requireOpen();
        try {
            return catalog.read((CatalogTransaction transaction) -> {
                try {
                    return query.run(new SqliteReads(transaction, clock));
                } catch (SqlStatements.Failed e) {
                    throw e.failure();
                }
            });
        } catch (CatalogException e) {
            throw failed(e);
        }
    }

    private static ProcessException failed(CatalogException e) {
        return new ProcessException.StoreFailed(e.sentence(), e.remedy(), e);
    }

    @Override
    public Durability durability() {
        return Durability.DURABLE;
    }

    @Override
    public synchronized void listen(CommitListener whom) {
        if (listener != null) {
            throw new ProcessException.StoreInUse();
        }
        listener = whom;
    }

    @Override
    public void watchOthers(Deadline deadline) {
        CommitListener told = listener;
        if (told != null) {
            signal.watch(() -> {
                FeedWatch watch = new FeedWatch(this, this::lastPosition, told);
                watching = watch;
                return watch;
            });
        }
    }

    /** Of the feed. */
    long lastPosition() {
        return read(reads -> ((SqliteReads) reads).lastPosition());
    }

    @Override
    public void close() {
        closed = true;
        signal.close();
    }

    private void requireOpen() {
        if (closed) {
            throw new ProcessException.Closed();
        }
    }
}
