package dev.cloche.process;

import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** A store that breaks one rule, to see whether anybody notices. */
final class MutatedStore extends ForwardingStore {
    /** What is wrong with it. */
    enum Fault {
        /** The token of a lease is not compared: whoever has ever had a lease passes. */
        TOKENS_DO_NOT_MATTER,
        /** A lease does not run out. */
        LEASES_NEVER_EXPIRE,
        /** Nobody holds anything. */
        LEASES_ARE_NOT_SEEN,
        /** What was pruned leaves nothing. */
        TOMBSTONES_ARE_LOST,
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
    private Optional<Lease> latest = Optional.empty();

    MutatedStore(ProcessStore store, Fault fault, long seed) {
        super(store);
        this.fault = fault;
        this.random = new SplittableRandom(seed);
    }

    /** The lease that is shown with the next call. */
    void shown(Optional<Lease> lease) {
        latest = lease;
    }

    @Override
    public <T> T write(Work<T> work) {
        if (fault != Fault.WRITES_ARE_LOST || random.nextInt(20) > 0) {
            return store.write(transaction -> work.run(mutated(transaction)));
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

    private StoreTransaction mutated(StoreTransaction transaction) {
        return intercepted(transaction, _ -> {}, (method, result) -> switch (method.getName()) {
            case "tombstone" -> fault == Fault.TOMBSTONES_ARE_LOST ? Optional.of(Optional.empty()) : Optional.empty();
            case "lock" ->
                Optional.of(((Optional<?>) result).map(head -> mutated((ProcessHead) head, transaction.now())));
            default -> Optional.empty();
        });
    }

    private ProcessHead mutated(ProcessHead head, StoreTime now) {
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
            case TOMBSTONES_ARE_LOST, WRITES_ARE_LOST -> head;
        };
    }

    private static ProcessHead with(ProcessHead head, UnaryOperator<LeaseRow> change) {
        return head.withLease(head.lease().map(change));
    }
}
