package dev.cloche.process.testing;

import dev.cloche.process.store.CodePoints;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.PruneFloor;
import dev.cloche.process.store.Tombstone;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** All rows of an {@link InMemoryProcessStore}. Guarded by its lock. */
final class InMemoryTables {
    final TreeMap<String, InMemoryRow> processes = new TreeMap<>(CodePoints.ORDER);
    final Map<String, Tombstone> tombstones = new HashMap<>();
    final InMemoryFeed feed = new InMemoryFeed();
    long lastKey;
    PruneFloor floor = new PruneFloor(0, 0);

    /** Returns the row of a head, which is there for as long as the transaction that read the head. */
    InMemoryRow row(ProcessHead head) {
        InMemoryRow row = processes.get(head.id());
        if (row == null || row.head.key() != head.key()) {
            throw new IllegalStateException("a head of another transaction: " + head.id());
        }
        return row;
    }

    Iterable<InMemoryRow> after(Optional<String> id) {
        return id.map(after -> processes.tailMap(after, false))
                .orElse(processes)
                .values();
    }
}
