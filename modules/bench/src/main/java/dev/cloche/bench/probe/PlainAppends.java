package dev.cloche.bench.probe;

import dev.cloche.catalog.Catalog;

/** Appends as a program would that has only the tables: one transaction per event. Safe for use from many threads. */
public final class PlainAppends {
    private static final String HASH = "0".repeat(64);

    private final Catalog catalog;

    public PlainAppends(Catalog catalog) {
        this.catalog = catalog;
    }

    private record Row(long key, long sequence) {}

    public void append(String process, String payload) {
        catalog.write(transaction -> {
            long now = System.currentTimeMillis();
            Row row = transaction
                    .first(
                            found -> new Row(found.getLong(1), found.getLong(2)),
                            "SELECT key, last_sequence FROM process WHERE id = ?",
                            process)
                    .orElseThrow();
            transaction.update(
                    "INSERT INTO process_event (process, sequence, type, payload, payload_hash, at)"
                            + " VALUES (?, ?, ?, ?, ?, ?)",
                    row.key(),
                    row.sequence() + 1,
                    Registry.TYPE,
                    payload,
                    HASH,
                    now);
            return transaction.update(
                    "UPDATE process SET last_sequence = ?, updated_at = ? WHERE key = ?",
                    row.sequence() + 1,
                    now,
                    row.key());
        });
    }
}
