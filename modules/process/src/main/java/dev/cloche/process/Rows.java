package dev.cloche.process;

/** Rows that have to be there. Stateless. */
final class Rows {
    private Rows() {}

    static ProcessRecord record(StoreReads reads, String id) {
        return reads.record(id).orElseThrow(() -> new ProcessException.Unknown(id, reads.tombstone(id)));
    }

    static ProcessHead head(StoreReads reads, String id) {
        return reads.head(id).orElseThrow(() -> new ProcessException.Unknown(id, reads.tombstone(id)));
    }

    static ProcessHead lock(StoreTransaction transaction, String id) {
        return transaction.lock(id).orElseThrow(() -> new ProcessException.Unknown(id, transaction.tombstone(id)));
    }
}
