package dev.cloche.process.registry;

import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessRecord;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.StoreReads;
import dev.cloche.process.store.StoreTransaction;
import dev.cloche.process.store.Tombstone;

/** Reads rows that have to be there. Stateless. */
final class RequiredRows {
    private RequiredRows() {}

    static ProcessRecord record(StoreReads reads, String id) {
        return reads.record(id).orElseThrow(() -> unknown(reads, id));
    }

    static ProcessHead head(StoreReads reads, String id) {
        return reads.head(id).orElseThrow(() -> unknown(reads, id));
    }

    static ProcessHead lock(StoreTransaction transaction, String id) {
        return transaction.lock(id).orElseThrow(() -> unknown(transaction, id));
    }

    /** Returns what is thrown where a process is missing: it was pruned, or was never there. */
    static ProcessException unknown(StoreReads reads, String id) {
        return new ProcessException.Unknown(id, reads.tombstone(id).map(Tombstone::prunedAt));
    }
}
