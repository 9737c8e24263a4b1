package dev.cloche.process.registry;

import dev.cloche.process.Change;
import dev.cloche.process.ProcessPruneRequest;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.ProcessStore;
import dev.cloche.process.store.StoreTime;
import dev.cloche.process.store.StoreTransaction;
import dev.cloche.process.store.Tombstone;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Forgets ended processes, a batch at a time, so that other calls do not wait long. Safe for use from many threads. */
final class Pruning {
    private static final int BATCH = 200;

    private final ProcessStore store;
    private final int remembered;

    /** @param remembered how many pruned ids keep a tombstone and their entry in the feed */
    Pruning(ProcessStore store, int remembered) {
        this.store = store;
        this.remembered = remembered;
    }

    List<String> prune(ProcessPruneRequest request) {
        List<String> pruned = new ArrayList<>();
        Optional<String> after = Optional.empty();
        do {
            Optional<String> from = after;
            Batch batch = store.write(transaction -> batch(transaction, request, from));
            pruned.addAll(batch.pruned());
            after = batch.last();
        } while (after.isPresent());
        store.write(transaction -> {
            transaction.forget(remembered);
            return remembered;
        });
        return List.copyOf(pruned);
    }

    /** What one transaction did, and the last id that it looked at, if there may be more. */
    private record Batch(List<String> pruned, Optional<String> last) {}

    private static Batch batch(StoreTransaction transaction, ProcessPruneRequest request, Optional<String> after) {
        StoreTime now = transaction.now();
        List<ProcessHead> offered = transaction.lockPrunable(request, after, BATCH);
        List<String> pruned = new ArrayList<>();
        for (ProcessHead process : offered) {
            if (isFree(process, now)) {
                transaction.change(Change.of(process.id(), Change.Kind.PRUNED));
                transaction.bury(
                        process, new Tombstone(process.id(), process.fence(), process.lastSequence(), now.wall()));
                pruned.add(process.id());
            }
        }
        return new Batch(pruned, last(offered));
    }

    /** The holder of one that is not free is still cleaning up. */
    private static boolean isFree(ProcessHead process, StoreTime now) {
        return process.lease().filter(lease -> lease.isLive(now)).isEmpty();
    }

    private static Optional<String> last(List<ProcessHead> offered) {
        return offered.size() < BATCH
                ? Optional.empty()
                : Optional.of(offered.getLast().id());
    }

    /** Returns what {@link #prune} would forget now. */
    List<String> plan(ProcessPruneRequest request) {
        List<String> prunable = new ArrayList<>();
        Optional<String> after = Optional.empty();
        do {
            Optional<String> from = after;
            // Only a transaction that writes is offered them; this one changes nothing.
            Batch batch = store.write(transaction -> {
                StoreTime now = transaction.now();
                List<ProcessHead> offered = transaction.lockPrunable(request, from, BATCH);
                return new Batch(
                        offered.stream()
                                .filter(process -> isFree(process, now))
                                .map(ProcessHead::id)
                                .toList(),
                        last(offered));
            });
            prunable.addAll(batch.pruned());
            after = batch.last();
        } while (after.isPresent());
        return List.copyOf(prunable);
    }
}
