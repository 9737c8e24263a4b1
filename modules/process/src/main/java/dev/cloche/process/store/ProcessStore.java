package dev.cloche.process.store;

import dev.cloche.base.Deadline;
import dev.cloche.process.Durability;
import dev.cloche.process.ProcessException;
import java.util.Optional;

/**
 * Stores the rows of the registry. A store gives transactions, and primitive reads and writes in them; what is decided on
 * the rows is decided by the registry, the same for every store. So no method here refuses anything, but for storage that
 * fails, which is a {@link ProcessException.StoreFailed}.
 *
 * <p>Safe for use from many threads.
 */
public interface ProcessStore extends AutoCloseable {
    /** What one writing transaction does. It may be run again from the start if the store had to undo it. */
    @FunctionalInterface
    interface Work<T> {
        T run(StoreTransaction transaction);
    }

    /** What one reading transaction does. */
    @FunctionalInterface
    interface Query<T> {
        T run(StoreReads reads);
    }

    /**
     * Runs work that takes effect as a whole when this returns, or not at all if it throws. It is then on the disk and
     * visible to everybody, and the listener has been or is about to be told. Transactions that lock the same process
     * ({@link StoreTransaction#lock}) run one after the other. The call is not cut short by an interrupt.
     *
     * @throws ProcessException what the work throws, or that the store failed
     */
    <T> T write(Work<T> work);

    /**
     * Does what {@link #write(Work)} does, for work that locks one process and writes to no other; so a store can let several
     * of them share a transaction and a commit. What one is refused for touches no other.
     */
    default <T> T write(String processId, Work<T> work) {
        return write(work);
    }

    /**
     * Does what {@link #write(String, Work)} does, for work that looks for the event of a replay key of its process. A store
     * behind a network can read it together with the process, for all that share a transaction at once.
     */
    default <T> T write(String processId, Optional<String> replayKey, Work<T> work) {
        return write(processId, work);
    }

    /**
     * Runs queries on one consistent snapshot, which has all that was acknowledged before the call.
     *
     * @param deadline after which a store that does not answer is given up, with a {@link ProcessException.StoreFailed}. A
     *     store of this host may answer a little later
     */
    <T> T read(Query<T> query, Deadline deadline);

    /** Runs queries without a deadline but the store's own. */
    default <T> T read(Query<T> query) {
        return read(query, Deadline.none());
    }

    /** Returns what a write that has returned is worth. */
    Durability durability();

    /**
     * Says whom to tell of commits. Called once, before anything else.
     *
     * @throws ProcessException.StoreInUse if it was said already, for the first would hear of nothing from then on
     */
    void listen(CommitListener listener);

    /**
     * Prepares a wait. From the return of this call on, the listener is told of the commits of other programs too,
     * as long as there may be waits; where that can get lost, the store looks for itself now and then. Cheap if repeated.
     *
     * @param deadline after which it returns all the same, and goes on by itself
     */
    void watchOthers(Deadline deadline);

    @Override
    void close();
}
