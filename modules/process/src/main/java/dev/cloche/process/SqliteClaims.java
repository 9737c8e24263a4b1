package dev.cloche.process;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What workers look for, in one transaction: each look is a range of an index, and sees nothing that is held. */
record SqliteClaims(Sql sql, StoreTime now) {
    private static final String RUNNING =
            "WHERE p.status = 'running' AND p.recovery <> 'externally_owned' AND p.input_type = ? AND ";
    static final String CLAIMABLE = SqliteRows.HEAD + RUNNING;

    /** Those that nobody holds; first those that lost an owner. */
    List<ProcessHead> free(String inputType, int limit) {
        List<ProcessHead> found = new ArrayList<>();
        // One range each: expired, from another boot, and further ahead than a lease can be.
        offer(
                found,
                limit,
                "p.lease_expires IS NOT NULL AND p.lease_epoch = ? AND p.lease_expires <= ? LIMIT ?",
                inputType,
                now.epoch(),
                now.ticks());
        offer(found, limit, "p.lease_expires IS NOT NULL AND p.lease_epoch < ? LIMIT ?", inputType, now.epoch());
        offer(found, limit, "p.lease_expires IS NOT NULL AND p.lease_epoch > ? LIMIT ?", inputType, now.epoch());
        offer(
                found,
                limit,
                "p.lease_expires IS NOT NULL AND p.lease_epoch = ? AND p.lease_expires > ? LIMIT ?",
                inputType,
                now.epoch(),
                LeaseRules.saturatingAdd(now.ticks(), LeaseRules.LONGEST_MILLIS));
        offer(found, limit, "p.lease_expires IS NULL LIMIT ?", inputType);
        return List.copyOf(found);
    }

    private void offer(List<ProcessHead> found, int limit, String condition, Object... parameters) {
        if (found.size() < limit) {
            Object[] all = Arrays.copyOf(parameters, parameters.length + 1);
            all[parameters.length] = limit - found.size();
            found.addAll(sql.list(SqliteRows::head, CLAIMABLE + condition, all));
        }
    }

    /** When the first can be had. */
    Optional<Long> firstAt(String inputType) {
        if (!free(inputType, 1).isEmpty()) {
            return Optional.of(now.ticks());
        }
        return sql.first(
                row -> row.getLong(1),
                "SELECT p.lease_expires FROM process p " + RUNNING
                        + "p.lease_expires IS NOT NULL AND p.lease_epoch = ? ORDER BY p.lease_expires LIMIT 1",
                inputType,
                now.epoch());
    }
}
