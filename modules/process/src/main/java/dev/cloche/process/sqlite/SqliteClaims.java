package dev.cloche.process.sqlite;

import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.StoreTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds the processes that workers may claim, in one transaction: each look is a range of an index, and sees nothing that is
 * held or pauses.
 *
 * @param hostProfiles of which it is to be; empty for any. A process without one was registered by a program of an older
 *     version that ran on after the migration, and is for workers that take any
 */
record SqliteClaims(SqlStatements sql, StoreTime now, Set<String> hostProfiles) {
    private static final String RUNNING =
            "WHERE p.status = 'running' AND p.recovery <> 'externally_owned' AND p.input_type = ? AND ";
    static final String CLAIMABLE = SqliteRows.HEAD + RUNNING;
    private static final String LEASED = "p.lease_expires IS NOT NULL AND p.lease_epoch ";
    private static final String PAUSED = "p.lease_expires IS NULL AND p.pause_until IS NOT NULL AND p.pause_epoch ";
    private static final String FREE = "p.lease_expires IS NULL AND p.pause_until IS NULL";

    /** Returns those that can be had; first those that lost an owner. */
    List<ProcessHead> free(String inputType, int limit) {
        List<ProcessHead> found = new ArrayList<>();
        over(found, limit, LEASED, "p.lease_expires", inputType);
        over(found, limit, PAUSED, "p.pause_until", inputType);
        offer(found, limit, FREE, inputType);
        return List.copyOf(found);
    }

    /** One range each: over, of another boot, and further ahead than a lease or pause can be. */
    private void over(List<ProcessHead> found, int limit, String kind, String end, String inputType) {
        offer(found, limit, kind + "= ? AND " + end + " <= ?", inputType, now.epoch(), now.ticks());
        offer(found, limit, kind + "< ?", inputType, now.epoch());
        offer(found, limit, kind + "> ?", inputType, now.epoch());
        long longest = now.ticksAfter(StoreTime.LONGEST_MILLIS);
        offer(found, limit, kind + "= ? AND " + end + " > ?", inputType, now.epoch(), longest);
    }

    private void offer(List<ProcessHead> found, int limit, String condition, Object... parameters) {
        if (found.size() < limit) {
            List<Object> all = new ArrayList<>(List.of(parameters));
            all.addAll(profiles());
            all.add(limit - found.size());
            found.addAll(sql.list(SqliteRows::head, CLAIMABLE + condition + ofProfiles() + " LIMIT ?", all.toArray()));
        }
    }

    private String ofProfiles() {
        return hostProfiles.isEmpty() ? "" : " AND p.host_profile IN (SELECT value FROM json_each(?))";
    }

    private List<String> profiles() {
        return hostProfiles.isEmpty() ? List.of() : List.of(SqliteReads.array(hostProfiles));
    }

    /** Returns when the first can be had. */
    Optional<Long> firstAt(String inputType) {
        if (!free(inputType, 1).isEmpty()) {
            return Optional.of(now.ticks());
        }
        return Stream.of(first(LEASED, "p.lease_expires", inputType), first(PAUSED, "p.pause_until", inputType))
                .flatMap(Optional::stream)
                .min(Comparator.naturalOrder());
    }

    private Optional<Long> first(String kind, String end, String inputType) {
        return sql.first(
                row -> row.getLong(1),
                "SELECT " + end + " FROM process p " + RUNNING + kind + "= ?" + ofProfiles() + " ORDER BY " + end
                        + " LIMIT 1",
                Stream.concat(Stream.of(inputType, now.epoch()), profiles().stream())
                        .toArray());
    }
}
