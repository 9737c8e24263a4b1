package dev.cloche.catalog;

import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The lease of a command that changes the installation or migrates the schema: while it is held, no other process opens
 * the catalog for work or starts a sandbox. It lasts 30 minutes and can be renewed; if its holder dies it is void at once.
 *
 * <p>Safe for use from many threads and processes.
 */
public final class InstallLease {
    /** How long it lasts unless it is renewed. */
    public static final Duration LENGTH = Duration.ofMinutes(30);

    static final String NAME = "install_exclusive";

    private final Catalog catalog;
    private final InstallGate gate;

    /** @param gate says which holders live */
    public InstallLease(Catalog catalog, InstallGate gate) {
        this.catalog = catalog;
        this.gate = gate;
    }

    /**
     * Takes it.
     *
     * @param holder the process that takes it, in the words that {@link InstallGate#holderAlive()} understands
     * @throws CatalogException.InstallInProgress if a living process holds it
     */
    public LeaseHandle acquire(String holder) {
        return catalog.write(transaction -> acquire(transaction, holder, gate));
    }

    static LeaseHandle acquire(CatalogTransaction transaction, String holder, InstallGate gate) throws SQLException {
        LeaseTable.Row row = LeaseTable.read(transaction, NAME);
        if (gate.blocks(row)) {
            throw new CatalogException.InstallInProgress(Instant.ofEpochMilli(row.expiresAt()));
        }
        LeaseTable.seed(transaction, NAME);
        long expiresAt = end(gate.clock());
        int taken = transaction.update("""
                UPDATE catalog_lease SET holder = ?, lease_expires_at = ?, last_completed_at = 0
                WHERE name = ? AND holder IS ? AND lease_expires_at = ?
                """, holder, expiresAt, NAME, row.holder(), row.expiresAt());
        if (taken != 1) {
            throw new IllegalStateException("the lease changed within a transaction of its own");
        }
        return new LeaseHandle(holder, Instant.ofEpochMilli(expiresAt));
    }

    /**
     * Lets it last for another {@link #LENGTH} from now.
     *
     * @return what to present from now on
     * @throws CatalogException.LeaseLost if it is no longer held
     */
    public LeaseHandle renew(LeaseHandle handle) {
        return catalog.write(transaction -> {
            // An expiry of its own, also within one millisecond, so that the handle that was renewed is void.
            long end = end(gate.clock());
            long expiresAt = end == handle.expiresAt().toEpochMilli() ? end - 1 : end;
            replace(transaction, handle, Optional.of(handle.holder()), expiresAt, 0);
            return new LeaseHandle(handle.holder(), Instant.ofEpochMilli(expiresAt));
        });
    }

    /**
     * Gives it back.
     *
     * @throws CatalogException.LeaseLost if it is no longer held
     */
    public void clear(LeaseHandle handle) {
        catalog.write(transaction -> {
            clear(transaction, handle, gate.clock());
            return handle;
        });
    }

    static void clear(CatalogTransaction transaction, LeaseHandle handle, Clock clock) throws SQLException {
        long now = clock.millis();
        replace(transaction, handle, Optional.empty(), now, now);
    }

    private static void replace(
            CatalogTransaction transaction,
            LeaseHandle handle,
            Optional<String> holder,
            long expiresAt,
            long completedAt)
            throws SQLException {
        int changed = transaction.update(
                """
                UPDATE catalog_lease SET holder = ?, lease_expires_at = ?, last_completed_at = ?
                WHERE name = ? AND holder = ? AND lease_expires_at = ?
                """,
                holder,
                expiresAt,
                completedAt,
                NAME,
                handle.holder(),
                handle.expiresAt().toEpochMilli());
        if (changed != 1) {
            throw new CatalogException.LeaseLost();
        }
    }

    private static long end(Clock clock) {
        return clock.millis() + LENGTH.toMillis();
    }
}
