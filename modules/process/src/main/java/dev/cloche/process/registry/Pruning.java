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
            // Its holder is still cleaning up.
            if (process.lease().filter(lease -> lease.isLive(now)).isEmpty()) {
                transaction.change(Change.of(process.id(), Change.Kind.PRUNED));
                transaction.bury(
                        process, new Tombstone(process.id(), process.fence(), process.lastSequence(), now.wall()));
                pruned.add(process.id());
            }
        }
        return new Batch(
                pruned,
                offered.size() < BATCH
                        ? Optional.empty()
                        : Optional.of(offered.getLast().id()));
    }
}
