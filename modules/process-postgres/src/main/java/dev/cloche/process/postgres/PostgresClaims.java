package dev.cloche.process.postgres;

import dev.cloche.process.LeaseRules;
import dev.cloche.process.ProcessHead;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What workers look for, in one transaction: each look is a range of one index, and sees nothing that is held. */
record PostgresClaims(Statements statements) {
    private static final String RUNNING =
            " FROM process p WHERE p.status = 'running' AND p.recovery <> 'externally_owned' AND p.input_type = ? AND ";

    /** Locks those that nobody holds, but for what others have locked; first those that lost an owner. */
    List<ProcessHead> lockFree(String inputType, long now, int limit) {
        String select = "SELECT " + PostgresRows.HEAD + RUNNING;
        String lock = " LIMIT ? FOR NO KEY UPDATE SKIP LOCKED";
        List<ProcessHead> lost = statements.alongside(
                PostgresRows::head,
                select + "(p.lease_expires_ms <= ? OR p.lease_expires_ms > ?) ORDER BY p.lease_expires_ms" + lock,
                inputType,
                now,
                now + LeaseRules.LONGEST_MILLIS,
                limit);
        List<ProcessHead> free = PostgresReads.sql(() -> statements.list(
                PostgresRows::head, select + "p.lease_expires_ms IS NULL ORDER BY p.key" + lock, inputType, limit));
        List<ProcessHead> offered = new ArrayList<>(lost);
        offered.addAll(free.subList(0, Math.min(free.size(), limit - lost.size())));
        return offered;
    }

    /** When the first can be had. */
    Optional<Long> firstAt(String inputType, long now) {
        List<Long> free = statements.alongside(
                row -> now,
                "SELECT 1" + RUNNING + "(p.lease_expires_ms IS NULL OR p.lease_expires_ms > ?) LIMIT 1",
                inputType,
                now + LeaseRules.LONGEST_MILLIS);
        Optional<Long> ends = PostgresReads.sql(() -> statements.first(
                row -> Math.max(now, row.getLong(1)),
                "SELECT p.lease_expires_ms" + RUNNING + "p.lease_expires_ms IS NOT NULL"
                        + " ORDER BY p.lease_expires_ms LIMIT 1",
                inputType));
        return free.isEmpty() ? ends : Optional.of(now);
    }
}
