package dev.cloche.sandbox.record;

import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.image.ImageReference;
import dev.cloche.pool.DepthPolicy;
import dev.cloche.sandbox.PoolShape;
import dev.cloche.sandbox.PoolStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Says what is recorded of a pool.
 *
 * @param retryAt when the next attempt to make a VM is due, if the latest one failed
 */
public record PoolRow(
        long id,
        PoolShape shape,
        PoolStatus.Policy policy,
        Instant createdAt,
        PoolStatus.Counts counts,
        Optional<Instant> retryAt) {
    static final String SELECT = """
            SELECT id, image, template_image, memory_mib, cpus, network, depth, min_depth, cold_after, max_age, in_process, created_at,
                   hits, misses, made, failed, last_error, failed_at, retry_at
            FROM pool
            """;

    private static final String USER = "USER";

    /** Returns what is recorded of a shape's network. */
    static String network(PoolShape shape) {
        return shape.network() ? USER : "NONE";
    }

    /** Without its command and its probes. */
    static PoolRow of(ResultSet row) throws SQLException {
        boolean failed = millis(row, "failed_at").isPresent();
        return new PoolRow(
                row.getLong("id"),
                shape(row),
                new PoolStatus.Policy(
                        depth(row),
                        Duration.ofMillis(row.getLong("max_age")),
                        List.of(),
                        List.of(),
                        row.getInt("in_process") == 1),
                Instant.ofEpochMilli(row.getLong("created_at")),
                new PoolStatus.Counts(
                        row.getLong("hits"),
                        row.getLong("misses"),
                        row.getLong("made"),
                        row.getLong("failed"),
                        Optional.ofNullable(row.getString("last_error"))),
                failed ? millis(row, "retry_at").map(Instant::ofEpochMilli) : Optional.empty());
    }

    private static PoolShape shape(ResultSet row) throws SQLException {
        String subject = row.getString("image");
        Optional<String> templateImage = Optional.ofNullable(row.getString("template_image"));
        return new PoolShape(
                ImageReference.parse(templateImage.orElse(subject)),
                row.getInt("memory_mib"),
                row.getInt("cpus"),
                row.getString("network").equals(USER),
                templateImage.map(_ -> PoolShape.templateOf(subject)));
    }

    private static DepthPolicy depth(ResultSet row) throws SQLException {
        int most = row.getInt("depth");
        Optional<Long> least = millis(row, "min_depth");
        DepthPolicy policy = least.isPresent()
                ? new DepthPolicy(least.get().intValue(), most, DepthPolicy.Sizing.BY_DEMAND, Optional.empty())
                : DepthPolicy.of(most);
        return millis(row, "cold_after")
                .map(after -> policy.coldAfter(Duration.ofMillis(after)))
                .orElse(policy);
    }

    private static Optional<Long> millis(ResultSet row, String column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? Optional.empty() : Optional.of(value);
    }

    /** With its command and its probes. */
    PoolRow whole(CatalogTransaction transaction) throws SQLException {
        List<String> words = transaction.list(
                row -> row.getString(1), "SELECT word FROM pool_word WHERE pool_id = ? ORDER BY position", id);
        List<PoolStatus.Probe> probes = transaction.list(
                row -> new PoolStatus.Probe(row.getInt("port"), Optional.ofNullable(row.getString("path"))),
                "SELECT port, path FROM pool_probe WHERE pool_id = ? ORDER BY position",
                id);
        return words.isEmpty() && probes.isEmpty()
                ? this
                : new PoolRow(id, shape, policy.withCheck(words).withProbes(probes), createdAt, counts, retryAt);
    }
}
