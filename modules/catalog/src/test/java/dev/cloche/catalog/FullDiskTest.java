package dev.cloche.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.linux.DiskReserve;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FullDiskTest {
    private static final List<CatalogSchema> SCHEMAS = List.of(CatalogTest.NOTES_2);

    private @Nullable SmallDisk mounted;
    private SmallDisk disk = new SmallDisk(Path.of(""));
    private Path root = Path.of("");

    @BeforeEach
    void mount() throws Exception {
        disk = SmallDisk.of("100m");
        mounted = disk;
        root = disk.root();
        try (Catalog catalog = Catalog.open(root, SCHEMAS)) {
            CatalogTest.add(catalog, "first");
        }
    }

    @AfterEach
    void unmount() throws Exception {
        if (mounted != null) {
            mounted.unmount();
        }
    }

    @Test
    void aCatalogOnADiskWithoutAFreeByteIsReadAndEndsAreRecordedInIt() throws Exception {
        DiskReserve.in(root).refill(Deadline.none());
        assertThat(root.resolve("reserve")).hasSize(16 << 20);
        for (int again = 0; again < 3; again++) {
            disk.fill();
            try (Catalog catalog = Catalog.open(root, SCHEMAS)) {
                assertThat(CatalogTest.notes(catalog)).contains("first");
                disk.fill();
                int removed =
                        catalog.writeFromReserve(transaction -> transaction.update("UPDATE note SET text = 'ended'"));
                assertThat(removed).isOne();
                assertThat(CatalogTest.notes(catalog)).containsExactly("ended");
                catalog.writeFromReserve(transaction -> transaction.update("UPDATE note SET text = 'first'"));
            }
        }
        assertThat(Files.size(root.resolve("reserve"))).isBetween(14L << 20, (16L << 20) - 1);
    }

    @Test
    void whatBeginsSomethingTakesNothingOfTheReserveAndChangesNothing() throws Exception {
        DiskReserve.in(root).refill(Deadline.none());
        try (Catalog catalog = Catalog.open(root, SCHEMAS)) {
            disk.fill();
            assertThatThrownBy(() -> CatalogTest.add(catalog, "x".repeat(100_000)))
                    .isInstanceOf(CatalogException.NoSpace.class);
            assertThat(root.resolve("reserve")).hasSize(16 << 20);
            assertThat(CatalogTest.notes(catalog)).containsExactly("first");
        }
    }

    @Test
    void withoutAReserveTheMissingSpaceIsNamed() throws Exception {
        disk.fill();
        assertThatThrownBy(() -> Catalog.open(root, SCHEMAS)).isInstanceOf(CatalogException.NoSpace.class);
    }

    @Test
    void theReserveIsRefilledOnlyWhereRoomIsLeftToOthers() throws Exception {
        DiskReserve reserve = DiskReserve.in(root);
        reserve.refill(Deadline.none());
        assertThat(reserve.borrow().more()).isTrue();
        long shortened = reserve.size();
        Path others = Files.write(root.resolve("others"), new byte[80 << 20]);
        reserve.refill(Deadline.none());
        assertThat(root.resolve("reserve")).hasSize(shortened);
        Files.delete(others);
        reserve.refill(Deadline.none());
        assertThat(root.resolve("reserve")).hasSize(16 << 20);
    }

    @Test
    void aReaderTakesAQuarterOfAMebibyteBesideAWriterThatTakesAll() throws Exception {
        DiskReserve.in(root).refill(Deadline.none());
        for (int again = 1; again <= 40; again++) {
            disk.fill();
            try (Catalog catalog = Catalog.open(root, SCHEMAS)) {
                disk.fill();
                assertThat(CatalogTest.notes(catalog)).contains("first");
            }
        }
        // Each gave back its index of the log.
        assertThat(Files.size(root.resolve("reserve"))).isBetween(6L << 20, 8L << 20);
    }

    /** As a guest that runs, while a person looks again and again. */
    @Test
    void aWriterThatTakesLittleFindsNothingOnceTheReaderIsGone() throws Exception {
        DiskReserve.in(root).refill(Deadline.none());
        disk.fill();
        byte[] piece = new byte[4096];
        for (int again = 1; again <= 40; again++) {
            try (Catalog catalog = Catalog.open(root, SCHEMAS)) {
                assertThat(CatalogTest.notes(catalog)).contains("first");
                catalog.writeFromReserve(transaction -> transaction.update("UPDATE note SET text = 'first'"));
                Files.write(root.resolve("little-" + again), piece);
            }
            Path refused = root.resolve("refused-" + again);
            assertThatThrownBy(() -> Files.write(refused, piece)).isInstanceOf(IOException.class);
            Files.delete(refused);
        }
        assertThat(Files.size(root.resolve("reserve"))).isGreaterThan(15L << 20);
    }

    @Test
    void aLogMayGrowOnlyBesideWhatTheReserveLacks() throws Exception {
        DiskReserve reserve = DiskReserve.in(root);
        assertThat(reserve.spares()).isTrue();
        reserve.refill(Deadline.none());
        disk.fill();
        assertThat(reserve.spares()).isFalse();
        DiskReserve.Loan loan = reserve.borrow();
        for (int step = 0; step < 10; step++) {
            loan.more();
        }
        assertThat(root.toFile().getUsableSpace()).isGreaterThan(8 << 20);
        assertThat(reserve.spares()).isFalse();
    }

    @Test
    void onAReadOnlyFileSystemTheCatalogIsReadAndNothingIsWritten() throws Exception {
        disk.remount("ro");
        try (Catalog catalog = Catalog.open(root, SCHEMAS)) {
            assertThat(catalog.readOnly()).isTrue();
            assertThat(CatalogTest.notes(catalog)).containsExactly("first");
            assertThatThrownBy(() -> CatalogTest.add(catalog, "more")).isInstanceOf(CatalogException.ReadOnly.class);
        }
        assertThat(CatalogMaintenance.problems(root)).isEmpty();
        disk.remount("rw");
    }

    @Test
    void whatStandsInTheLogIsReadOnAReadOnlyFileSystemToo() throws Exception {
        Path copy = Files.createDirectory(root.resolve("copy"));
        try (Catalog catalog = Catalog.open(root, SCHEMAS)) {
            CatalogTest.add(catalog, "second");
            for (String file : List.of("catalog.db", "catalog.db-wal", "catalog.db-shm")) {
                Files.copy(root.resolve(file), copy.resolve(file));
            }
        }
        disk.remount("ro");
        try (Catalog catalog = Catalog.open(copy, SCHEMAS)) {
            assertThat(CatalogTest.notes(catalog)).containsExactly("first", "second");
        }
        disk.remount("rw");
    }

    @Test
    void aMigrationOfAReadOnlyCatalogIsRefused() throws Exception {
        disk.remount("ro");
        CatalogSchema other = new CatalogSchema(
                "more", "dev/cloche/catalog/more", List.of(CatalogSchema.Migration.additive("more", "more")));
        assertThatThrownBy(() -> Catalog.open(root, List.of(other))).isInstanceOf(CatalogException.ReadOnly.class);
        disk.remount("rw");
    }
}
