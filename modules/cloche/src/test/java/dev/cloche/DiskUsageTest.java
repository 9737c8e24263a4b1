package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.CatalogCare.DiskUsage;
import dev.cloche.CatalogCare.DiskUsage.Part;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What takes how much of a state root's disk. */
class DiskUsageTest {
    private static final int SIZE = 1 << 20;

    private static final String TEMPLATE = """
            INSERT INTO sandbox_snapshot (id, name, status, contents, directory, source, image, manifest, memory_mib, cpus,
                                          network, start_timeout, created_at, prepared)
            VALUES (7, 'api', 'READY', 'MEMORY', 'web-7', 'web', 'base', 'sha256:0', 64, 1, 0, 1, 1, 1)""";

    @TempDir
    Path root;

    private Optional<DiskUsage> of(Part part) {
        return usage().stream().filter(usage -> usage.part() == part).findFirst();
    }

    private List<DiskUsage> usage() {
        return care().diskUsage();
    }

    private CatalogCare care() {
        return Cloche.catalog(ClocheOptions.ofEnvironment().withHome(root));
    }

    private Path write(String name) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.resolve("..").normalize());
        return Files.write(file, new byte[SIZE]);
    }

    @ParameterizedTest
    @CsvSource({
        "LAYERS, cache/layers/0a.v1.erofs",
        "LAYERS, cache/blobs/0a.blob",
        "IMAGES, cache/fsmeta/0b.v1.erofs",
        "IMAGES, cache/tmp/pull",
        "TEMPLATES, snapshots/template-0c/memory",
        "TEMPLATES, templates/template-0c.used",
        "SNAPSHOTS, snapshots/sandbox-7/memory",
        "SNAPSHOTS, sandbox-snapshots/web-7/disk/disk.0",
        "MACHINES, machines/dev/disk/disk.0",
        "MACHINES, snapshots/machine-12-kept-one/state",
        "SANDBOXES, sandboxes/web-3/disk/disk.1",
        "VMS, vms/0d/disk.0",
        "VMS, blank/ext4-64.v2.raw",
        "LOGS, vms/0d/output.log.1",
        "LOGS, executions/exec-0123456789abcdef/output",
        "CATALOG, catalog.db-wal",
        "CATALOG, catalog.db.yesterday",
        "OTHER, reserve",
    })
    void eachFileCountsForItsPart(Part part, String name) throws IOException {
        assertThat(of(part).filter(usage -> usage.bytes() >= SIZE)).isEmpty();
        write(name);
        assertThat(of(part).orElseThrow().bytes()).isBetween((long) SIZE, 2L * SIZE);
    }

    @Test
    void aPreparedTemplateCountsForItselfAndWithoutRecordsAsASnapshot() throws IOException, SQLException {
        assertThat(care().migrate()).isNotEmpty();
        try (Connection records = DriverManager.getConnection("jdbc:sqlite:" + root.resolve("catalog.db"));
                Statement row = records.createStatement()) {
            row.executeUpdate(TEMPLATE);
        }
        write("snapshots/sandbox-7/memory");
        write("sandbox-snapshots/web-7/disk/disk.0");
        write("snapshots/sandbox-8/memory");
        assertThat(of(Part.PREPARED_TEMPLATES).orElseThrow().bytes()).isBetween(2L * SIZE, 3L * SIZE);
        assertThat(of(Part.SNAPSHOTS).orElseThrow().bytes()).isBetween((long) SIZE, 2L * SIZE);
        Files.writeString(root.resolve("catalog.db"), "these are no records");
        assertThat(of(Part.PREPARED_TEMPLATES)).isEmpty();
        assertThat(of(Part.SNAPSHOTS).orElseThrow().bytes()).isBetween(3L * SIZE, 4L * SIZE);
    }

    @Test
    void aVmIsOfItsPoolUntilItIsHandedOut() throws IOException {
        write("vms/0e/disk.0");
        Files.createFile(root.resolve("vms/0e/pool.json"));
        assertThat(of(Part.POOLS).orElseThrow().bytes()).isGreaterThanOrEqualTo(SIZE);
        assertThat(of(Part.VMS).orElseThrow().bytes()).isLessThan(SIZE);
        Files.createFile(root.resolve("vms/0e/claimed"));
        assertThat(of(Part.POOLS)).isEmpty();
        assertThat(of(Part.VMS).orElseThrow().bytes()).isGreaterThanOrEqualTo(SIZE);
    }

    @Test
    void aLayerThatASnapshotAndASandboxHaveCountsOnce() throws IOException {
        Path layer = write("sandboxes/web-3/disk/disk.0");
        Files.createDirectories(root.resolve("snapshots/sandbox-7"));
        Files.createLink(root.resolve("snapshots/sandbox-7/disk.0"), layer);
        assertThat(of(Part.SNAPSHOTS).orElseThrow().bytes()).isGreaterThanOrEqualTo(SIZE);
        assertThat(of(Part.SANDBOXES).orElseThrow().bytes()).isLessThan(SIZE);
        assertThat(usage().stream().mapToLong(DiskUsage::bytes).sum()).isLessThan(2L * SIZE);
    }
}
