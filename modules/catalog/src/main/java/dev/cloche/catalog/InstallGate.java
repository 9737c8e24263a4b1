package dev.cloche.catalog;

import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.util.function.Predicate;

/**
 * Decides which process may work while the installation is being changed: only the one that changes it. Immutable.
 *
 * @param holderAlive whether the process that a lease names as its holder lives; a dead one's lease is void at once
 * @param presented whether a lease is that of the process that asks
 */
public record InstallGate(Clock clock, Predicate<String> holderAlive, Predicate<LeaseHandle> presented) {
    /** For a program that knows nothing of processes: a lease is void when it has expired. */
    static InstallGate untilExpiry() {
        return of(Clock.systemUTC(), process -> true);
    }

    /** Returns the gate of a process that holds no lease. */
    public static InstallGate of(Clock clock, Predicate<String> holderAlive) {
        return new InstallGate(clock, holderAlive, _ -> false);
    }

    /** Also after it was renewed. */
    InstallGate presentingThatOf(String holder) {
        return new InstallGate(clock, holderAlive, lease -> lease.holder().equals(holder));
    }

    /**
     * Refuses while another process changes the installation; for the beginning of a transaction that must not run
     * meanwhile. A catalog without leases lets everybody pass.
     *
     * @throws CatalogException.InstallInProgress saying until when
     */
    public void refuseIfHeld(CatalogTransaction transaction) throws SQLException {
        boolean known = transaction
                .first(
                        row -> row.getInt(1),
                        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'catalog_lease'")
                .isPresent();
        if (known) {
            LeaseTable.Row row = LeaseTable.read(transaction, InstallLease.NAME);
            if (blocks(row) && row.handle().filter(presented).isEmpty()) {
                throw new CatalogException.InstallInProgress(Instant.ofEpochMilli(row.expiresAt()));
            }
        }
    }

    /** Returns whether the row says that a living process holds the lease. */
    boolean blocks(LeaseTable.Row row) {
        return row.held(clock.millis(), InstallLease.LENGTH.toMillis())
                && row.holder().filter(holderAlive).isPresent();
    }
}
