package dev.cloche.process;

import dev.cloche.process.store.LeaseRow;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.ProcessStore;
import dev.cloche.process.store.StoreTime;
import dev.cloche.process.store.StoreTransaction;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** A store that breaks one rule, to see whether the tests notice. */
public final class MutatedStore extends ForwardingStore {
    /** What is wrong with it. */
    public enum Fault {
        /** The token of a lease is not compared: an owner that has ever had a lease passes. */
        TOKENS_DO_NOT_MATTER,
        /** A lease does not run out. */
        LEASES_NEVER_EXPIRE,
        /** No lease is held. */
        LEASES_ARE_NOT_SEEN,
        /** What was pruned leaves nothing. */
        TOMBSTONES_ARE_LOST,
        /** What is given back with a pause is offered at once. */
        PAUSES_ARE_LOST,
        /** However often an attempt has failed, it is the first. */
        ATTEMPTS_ARE_NOT_COUNTED,
        /** Now and then a write is acknowledged and undone. */
        WRITES_ARE_LOST
    }

    private static final class Undo extends RuntimeException {
        Undo() {
            super(null, null, false, false);
        }
    }

    private final Fault fault;
    private final SplittableRandom random;
    private final Set<String> locked = new HashSet<>();
    private Optional<Lease> latest = Optional.empty();

    public MutatedStore(ProcessStore store, Fault fault, long seed) {
        super(store);
        this.fault = fault;
        this.random = new SplittableRandom(seed);
    }

    /** The lease that is shown with the next call. */
    public void shown(Optional<Lease> lease) {
        latest = lease;
    }

    @Override
    public <T> T write(Work<T> work) {
        if (fault != Fault.WRITES_ARE_LOST || random.nextInt(20) > 0) {
            return store.write(transaction -> {
                T result = work.run(mutated(transaction));
                if (fault == Fault.PAUSES_ARE_LOST) {
                    locked.forEach(id -> endPause(transaction, id));
                    locked.clear();
                }
                return result;
            });
        }
        Object[] result = new Object[1];
        try {
            store.write(transaction -> {
                result[0] = work.run(transaction);
                throw new Undo();
            });
        } catch (Undo undone) {
            // As if nothing had happened; and so nothing has.
        }
        @SuppressWarnings("unchecked")
        T acknowledged = (T) result[0];
        return acknowledged;
    }

    private static void endPause(StoreTransaction transaction, String id) {
        transaction
                .lock(id)
                .filter(head -> head.pause().isPresent())
                .ifPresent(head -> transaction.setPause(head, Optional.empty(), head.returns(), Optional.empty()));
    }

    private StoreTransaction mutated(StoreTransaction transaction) {
        return intercepted(transaction, _ -> {}, (method, result) -> switch (method.getName()) {
            case "tombstone" -> fault == Fault.TOMBSTONES_ARE_LOST ? Optional.of(Optional.empty()) : Optional.empty();
            case "lock" ->
                Optional.of(((Optional<?>) result).map(head -> mutated((ProcessHead) head, transaction.now())));
            default -> Optional.empty();
        });
    }

    private ProcessHead mutated(ProcessHead head, StoreTime now) {
        locked.add(head.id());
        return switch (fault) {
            case TOKENS_DO_NOT_MATTER ->
                with(
                        head,
                        row -> latest.map(lease -> new LeaseRow(
                                        lease.owner(),
                                        lease.token(),
                                        lease.fence(),
                                        row.epoch(),
                                        row.expiresTicks(),
                                        row.claimedAt()))
                                .orElse(row));
            case LEASES_NEVER_EXPIRE ->
                with(
                        head,
                        row -> new LeaseRow(
                                row.owner(),
                                row.token(),
                                row.fence(),
                                now.epoch(),
                                now.ticks() + 1_000,
                                row.claimedAt()));
            case LEASES_ARE_NOT_SEEN ->
                with(head, row -> new LeaseRow(row.owner(), row.token(), row.fence(), "none", 0, row.claimedAt()));
            case ATTEMPTS_ARE_NOT_COUNTED ->
                head.withLease(head.lease(), head.fence(), 1).withPause(head.pause(), head.returns());
            case TOMBSTONES_ARE_LOST, PAUSES_ARE_LOST, WRITES_ARE_LOST -> head;
        };
    }

    private static ProcessHead with(ProcessHead head, UnaryOperator<LeaseRow> change) {
        return head.withLease(head.lease().map(change), head.fence(), head.attempts())
                .withPause(head.pause(), head.returns());
    }
}
