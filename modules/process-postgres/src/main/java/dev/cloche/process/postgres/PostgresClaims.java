package dev.cloche.process.postgres;

import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.StoreTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds the processes that workers may claim, in one transaction: each look is a range of one index, and sees nothing that
 * is held or pauses.
 *
 * @param hostProfiles of which it is to be; empty for any. A process without one was registered by an older program
 */
record PostgresClaims(Statements statements, Set<String> hostProfiles) {
    private static final String RUNNING =
            " FROM process p WHERE p.status = 'running' AND p.recovery <> 'externally_owned' AND p.input_type = ? AND ";
    private static final String PAUSED = "p.lease_expires_ms IS NULL AND p.pause_until_ms IS NOT NULL AND ";
    private static final String FREE = "p.lease_expires_ms IS NULL AND p.pause_until_ms IS NULL";

    private String ofProfiles() {
        return hostProfiles.isEmpty() ? "" : " AND p.host_profile = ANY (?)";
    }

    private Object[] with(Object... parameters) {
        List<Object> all = new ArrayList<>(List.of(parameters));
        if (!hostProfiles.isEmpty()) {
            // Behind the parameters of the condition, before the limit.
            all.add(all.size() - 1, hostProfiles);
        }
        return all.toArray();
    }

    /** Locks those that can be had, but for what others have locked; first those that lost an owner. */
    List<ProcessHead> lockFree(String inputType, long now, int limit) {
        String select = "SELECT " + PostgresRows.HEAD + RUNNING;
        String lock = " LIMIT ? FOR NO KEY UPDATE SKIP LOCKED";
        long longest = now + StoreTime.LONGEST_MILLIS;
        List<ProcessHead> lost = statements.alongside(
                PostgresRows::head,
                select + "(p.lease_expires_ms <= ? OR p.lease_expires_ms > ?)" + ofProfiles()
                        + " ORDER BY p.lease_expires_ms" + lock,
                with(inputType, now, longest, limit));
        List<ProcessHead> paused = statements.alongside(
                PostgresRows::head,
                select + PAUSED + "(p.pause_until_ms <= ? OR p.pause_until_ms > ?)" + ofProfiles()
                        + " ORDER BY p.pause_until_ms" + lock,
                with(inputType, now, longest, limit));
        List<ProcessHead> free = PostgresReads.sql(() -> statements.list(
                PostgresRows::head, select + FREE + ofProfiles() + " ORDER BY p.key" + lock, with(inputType, limit)));
        return Stream.of(lost, paused, free).flatMap(List::stream).limit(limit).toList();
    }

    /** Returns when the first can be had. */
    Optional<Long> firstAt(String inputType, long now) {
        long longest = now + StoreTime.LONGEST_MILLIS;
        List<Long> free = statements.alongside(
                _ -> now, "SELECT 1" + RUNNING + FREE + ofProfiles() + " LIMIT ?", with(inputType, 1));
        List<Long> leased = ends("p.lease_expires_ms", "p.lease_expires_ms IS NOT NULL", inputType, now, longest);
        List<Long> tooLong = statements.alongside(
                _ -> now,
                "SELECT 1" + RUNNING + "p.lease_expires_ms > ?" + ofProfiles() + " LIMIT ?",
                with(inputType, longest, 1));
        List<Long> paused = ends("p.pause_until_ms", PAUSED + "true", inputType, now, longest);
        PostgresReads.sql(statements::run);
        return Stream.of(free, leased, tooLong, paused).flatMap(List::stream).min(Comparator.naturalOrder());
    }

    private List<Long> ends(String end, String condition, String inputType, long now, long longest) {
        return statements.alongside(
                row -> row.getLong(1) > longest ? now : Math.max(now, row.getLong(1)),
                "SELECT " + end + RUNNING + condition + ofProfiles() + " ORDER BY " + end + " LIMIT ?",
                with(inputType, 1));
    }
}
