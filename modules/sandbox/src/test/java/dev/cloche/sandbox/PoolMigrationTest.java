package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.image.ImageReference;
import dev.cloche.pool.DepthPolicy;
import dev.cloche.sandbox.record.PoolRow;
import dev.cloche.sandbox.record.PoolStore;
import dev.cloche.sandbox.record.SandboxStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SandboxPools as they were set before there were any with a network. */
class PoolMigrationTest {
    private static final CatalogSchema BEFORE = new CatalogSchema(
            "sandbox",
            SandboxStore.SCHEMA.location(),
            SandboxStore.SCHEMA.migrations().subList(0, 4));

    @TempDir
    Path root;

    @Test
    void areKeptAsThoseWithoutANetwork() {
        try (Catalog catalog = Catalog.open(root, List.of(BEFORE))) {
            catalog.write(transaction -> {
                transaction.update("""
                    INSERT INTO pool (id, image, memory_mib, cpus, depth, max_age, created_at, hits, misses, made, failed,
                           last_error, failed_at)
                    VALUES (3, 'docker.io/library/debian:latest', 256, 2, 4, 60000, 10, 5, 6, 7, 8, 'so it was', 20)
                    """);
                // The newest is gone, and its id must not come back: an image may still be held in its name.
                transaction.update("""
                    INSERT INTO pool (id, image, memory_mib, cpus, depth, max_age, created_at)
                    VALUES (9, 'docker.io/library/gone:latest', 256, 1, 1, 60000, 10)
                    """);
                return transaction.update("DELETE FROM pool WHERE id = 9");
            });
        }
        try (Catalog catalog = Catalog.open(root, List.of(SandboxStore.SCHEMA))) {
            PoolStore store = new PoolStore(catalog, Clock.systemUTC());
            PoolShape shape = new PoolShape(ImageReference.parse("debian"), 256, 2, false, Optional.empty());
            assertThat(store.all())
                    .containsExactly(new PoolRow(
                            3,
                            shape,
                            PoolStatus.Policy.of(DepthPolicy.of(4)).withMaxAge(Duration.ofMinutes(1)),
                            Instant.ofEpochMilli(10),
                            new PoolStatus.Counts(5, 6, 7, 8, Optional.of("so it was")),
                            Optional.empty()));
            PoolStatus.Policy policy = new PoolStatus.Policy(
                    new DepthPolicy(0, 3, DepthPolicy.Sizing.BY_DEMAND, Optional.of(Duration.ofHours(1))),
                    Duration.ofMinutes(1),
                    List.of("curl", "-f", "it's \"so\""),
                    List.of(
                            new PoolStatus.Probe(8000, Optional.empty()),
                            new PoolStatus.Probe(65_535, Optional.of("/health?of=it"))),
                    true);
            store.set(shape.withNetwork(true), policy);
            assertThat(store.find(shape.withNetwork(true))).map(PoolRow::policy).contains(policy);
            assertThat(store.all()).extracting(PoolRow::id).containsExactly(3L, 10L);
            PoolStatus.Policy fewer = policy.withProbes(policy.probes().subList(1, 2));
            store.set(shape.withNetwork(true), fewer);
            assertThat(store.find(shape.withNetwork(true))).map(PoolRow::policy).contains(fewer);
            assertThat(store.find(shape)).map(row -> row.policy().depth().max()).contains(4);
        }
    }
}
