package dev.cloche.catalog;

import dev.cloche.base.OperationWatch;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A lease for periodic work that one process does for all, once in a window of time. Any process asks; of those that ask in
 * one window exactly one gets it, and the others have cost one indexed read. If its holder fails, or dies, the lease
 * expires, and the next process that asks gets it.
 *
 * <p>Safe for use from many threads and processes. A clock that is set back or forth stops no process: impossible times are
 * taken for old ones.
 */
public final class PeriodicLease {
    private final Catalog catalog;
    private final String name;
    private final long length;
    private final long window;
    private final Clock clock;

    /**
     * @param length how long a holder may take
     * @param window for which a completion lasts
     */
    public PeriodicLease(Catalog catalog, String name, Duration length, Duration window, Clock clock) {
        if (!length.isPositive() || window.isNegative()) {
            throw new IllegalArgumentException("no lease: " + length + " in " + window);
        }
        this.catalog = catalog;
        this.name = name;
        this.length = length.toMillis();
        this.window = window.toMillis();
        this.clock = clock;
    }

    /** Describes a lease that was taken. */
    public static final class Held {
        private final LeaseHandle handle;
        private final String note;
        private final OperationWatch<LeaseTerm> term = LeaseTerm.begin();

        private Held(LeaseHandle handle, String note) {
            this.handle = handle;
            this.note = note;
        }

        /** Returns what the holder who completed last has left for the next; empty at first. */
        public String note() {
            return note;
        }
    }

    /** Returns whether it may be taken now: one read, and no write. */
    public boolean due() {
        return catalog.read(transaction -> due(LeaseTable.read(transaction, name), clock.millis()));
    }

    private boolean due(LeaseTable.Row row, long now) {
        return !row.held(now, length) && !row.completedWithin(window, now);
    }

    /** Returns what the holder who completed last has left for the next; empty at first. */
    public String note() {
        return catalog.read(transaction -> LeaseTable.read(transaction, name)).note();
    }

    /**
     * Takes it if it is due. Never waits: if another process is writing, a later caller will ask again.
     *
     * @param holder the process that takes it; for people to read
     */
    public Optional<Held> tryAcquire(String holder) {
        return due()
                ? catalog.tryWriteFromReserve(Duration.ZERO, transaction -> acquire(transaction, holder))
                        .flatMap(taken -> taken)
                : Optional.empty();
    }

    private Optional<Held> acquire(CatalogTransaction transaction, String holder) throws SQLException {
        long now = clock.millis();
        long expiresAt = now + length;
        LeaseTable.seed(transaction, name);
        Optional<String> note =
                transaction.first(row -> row.getString(1), """
                UPDATE catalog_lease SET holder = ?1, lease_expires_at = ?2
                WHERE name = ?3
                  AND (lease_expires_at <= ?4 OR lease_expires_at > ?2)
                  AND (last_completed_at <= ?5 OR last_completed_at > ?4)
                RETURNING note
                """, holder, expiresAt, name, now, now - window);
        return note.map(left -> new Held(new LeaseHandle(holder, Instant.ofEpochMilli(expiresAt)), left));
    }

    /**
     * Records that the work was done, and gives the lease back. A holder whose work failed does not, so that another one
     * tries again when the lease has expired.
     *
     * @param note for the next holder
     * @return false if it is not held any more, or the catalog was busy for all of {@code patience}; then nothing has
     *     changed
     */
    public boolean complete(Held held, String note, Duration patience) {
        return LeaseTerm.end(held.term, name, held.handle.holder(), () -> giveBack(held.handle, note, patience));
    }

    private boolean giveBack(LeaseHandle handle, String note, Duration patience) {
        return catalog.tryWriteFromReserve(patience, transaction -> {
                    long now = clock.millis();
                    return transaction.update(
                                    """
                                    UPDATE catalog_lease
                                    SET holder = NULL, lease_expires_at = ?, last_completed_at = ?, note = ?
                                    WHERE name = ? AND holder = ? AND lease_expires_at = ?
                                    """,
                                    now,
                                    now,
                                    note,
                                    name,
                                    handle.holder(),
                                    handle.expiresAt().toEpochMilli())
                            == 1;
                })
                .orElse(false);
    }
}
