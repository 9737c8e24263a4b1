package dev.cloche.catalog;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Reads and writes the rows of leases: who may do now what only one process may do at a time. The lease of a holder that has died
 * ends at its expiry ({@link PeriodicLease}), or at once where its death is known ({@link InstallGate}).
 */
final class LeaseTable {
    /** Of this room, like any other's. */
    static final CatalogSchema SCHEMA = new CatalogSchema(
            "catalog",
            "META-INF/cloche/migrations/catalog",
            List.of(CatalogSchema.Migration.additive("leases", "leases")));

    private static final String SELECT =
            "SELECT holder, lease_expires_at, last_completed_at, note FROM catalog_lease WHERE name = ?";

    private LeaseTable() {}

    /**
     * Describes one row.
     *
     * @param expiresAt milliseconds since 1970
     * @param completedAt milliseconds since 1970; 0 for never
     * @param note what the holder who completed last has left for the next
     */
    record Row(Optional<String> holder, long expiresAt, long completedAt, String note) {
        /** Of a lease that was never asked for. */
        static final Row NEW = new Row(Optional.empty(), 0, 0, "");

        static Row of(ResultSet row) throws SQLException {
            return new Row(Optional.ofNullable(row.getString(1)), row.getLong(2), row.getLong(3), row.getString(4));
        }

        /** Returns what its holder presents; empty if it has none. */
        Optional<LeaseHandle> handle() {
            return holder.map(name -> new LeaseHandle(name, Instant.ofEpochMilli(expiresAt)));
        }

        /**
         * Returns whether the lease is taken. An expiry further away than the lease can be long was written by a clock that
         * has been set back since, and means nothing.
         *
         * @param longest how long the lease is, in milliseconds
         */
        boolean held(long now, long longest) {
            return expiresAt > now && expiresAt <= now + longest;
        }

        /**
         * Returns whether its work was completed less than {@code window} milliseconds ago; a time in the future means
         * nothing.
         */
        boolean completedWithin(long window, long now) {
            return completedAt <= now && completedAt > now - window;
        }
    }

    /** Returns the row of that name, as it would be if it is missing. */
    static Row read(CatalogTransaction transaction, String name) throws SQLException {
        return transaction.first(Row::of, SELECT, name).orElse(Row.NEW);
    }

    /** Makes the row unless it is there. */
    static void seed(CatalogTransaction transaction, String name) throws SQLException {
        transaction.update(
                "INSERT OR IGNORE INTO catalog_lease (name, holder, lease_expires_at, last_completed_at, note)"
                        + " VALUES (?, NULL, 0, 0, '')",
                name);
    }
}
