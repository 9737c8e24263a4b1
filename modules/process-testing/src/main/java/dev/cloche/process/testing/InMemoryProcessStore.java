package dev.cloche.process.testing;

import dev.cloche.base.Deadline;
import dev.cloche.process.Change;
import dev.cloche.process.Durability;
import dev.cloche.process.ProcessException;
import dev.cloche.process.store.CommitListener;
import dev.cloche.process.store.ProcessStore;
import dev.cloche.process.store.StoreClock;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps processes in memory, for tests: what it has is gone with its program. It keeps the same contract as the other
 * stores but for durability. Safe for use from many threads; the writes run one after the other.
 */
@SuppressWarnings("exports") // Only the registry calls what a store does.
public final class InMemoryProcessStore implements ProcessStore {
    private final StoreClock clock;
    private final InMemoryTables tables = new InMemoryTables();
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private @Nullable CommitListener listener;
    private boolean closed;

    /** Makes a store by the clocks of this program. */
    public InMemoryProcessStore() {
        this(StoreClock.ofProgram(Clock.systemUTC()));
    }

    /** Makes a store by any clock. */
    public InMemoryProcessStore(StoreClock clock) {
        this.clock = clock;
    }

    @Override
    public <T> T write(Work<T> work) {
        T result;
        List<Change> changes;
        CommitListener told;
        lock.writeLock().lock();
        try {
            requireOpen();
            InMemoryTransaction transaction = new InMemoryTransaction(tables, clock.now());
            try {
                result = work.run(transaction);
            } catch (Throwable failure) {
                transaction.rollBack();
                throw failure;
            }
            changes = transaction.changes();
            told = listener;
        } finally {
            lock.writeLock().unlock();
        }
        if (told != null && !changes.isEmpty()) {
            told.committed(changes);
        }
        return result;
    }

    @Override
    public <T> T read(Query<T> query, Deadline deadline) {
        lock.readLock().lock();
        try {
            requireOpen();
            return query.run(new InMemoryReads(tables, clock.now()));
        } finally {
            lock.readLock().unlock();
        }
    }

    @Override
    public Durability durability() {
        return Durability.VOLATILE;
    }

    @Override
    public void listen(CommitListener whom) {
        lock.writeLock().lock();
        try {
            if (listener != null) {
                throw new ProcessException.StoreInUse();
            }
            listener = whom;
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Does nothing: there are no others. */
    @Override
    public void watchOthers(Deadline deadline) {}

    @Override
    public void close() {
        lock.writeLock().lock();
        try {
            closed = true;
        } finally {
            lock.writeLock().unlock();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new ProcessException.Closed();
        }
    }
}
