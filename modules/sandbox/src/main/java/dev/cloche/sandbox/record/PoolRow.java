package dev.cloche.sandbox.record;

import dev.cloche.image.ImageReference;
import dev.cloche.sandbox.PoolShape;
import dev.cloche.sandbox.PoolStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What is recorded of a pool.
 *
 * @param failedAt when the latest attempt to make a VM failed; empty if it succeeded
 */
public record PoolRow(
        long id,
        PoolShape shape,
        int depth,
        Duration maxAge,
        Instant createdAt,
        PoolStatus.Counts counts,
        Optional<Instant> failedAt) {
    static final String SELECT = """
            SELECT id, image, memory_mib, cpus, depth, max_age, created_at, hits, misses, made, failed, last_error, failed_at,
                   network
            FROM pool
            """;

    private static final String USER = "USER";

    /** What is recorded of a shape's network. */
    static String network(PoolShape shape) {
        return shape.network() ? USER : "NONE";
    }

    static PoolRow of(ResultSet row) throws SQLException {
        long failedAt = row.getLong(13);
        return new PoolRow(
                row.getLong(1),
                new PoolShape(
                        ImageReference.parse(row.getString(2)),
                        row.getInt(3),
                        row.getInt(4),
                        row.getString(14).equals(USER)),
                row.getInt(5),
                Duration.ofMillis(row.getLong(6)),
                Instant.ofEpochMilli(row.getLong(7)),
                new PoolStatus.Counts(
                        row.getLong(8),
                        row.getLong(9),
                        row.getLong(10),
                        row.getLong(11),
                        Optional.ofNullable(row.getString(12))),
                failedAt == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(failedAt)));
    }
}
