package dev.cloche.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogTest {
    private static final CatalogSchema.Migration NOTES = CatalogSchema.Migration.additive("notes", "notes");
    static final CatalogSchema NOTES_1 = new CatalogSchema("notes", "dev/cloche/catalog/notes", List.of(NOTES));
    static final CatalogSchema NOTES_2 = new CatalogSchema(
            "notes",
            "dev/cloche/catalog/notes",
            List.of(NOTES, CatalogSchema.Migration.changing("tags", "tags", false, true)));
    private static final CatalogSchema MORE_NOTES = new CatalogSchema(
            "notes", "dev/cloche/catalog/notes", List.of(NOTES, CatalogSchema.Migration.additive("tags", "tags")));
    private static final CatalogSchema OTHER_NOTES = new CatalogSchema(
            "notes",
            "dev/cloche/catalog/notes",
            List.of(
                    NOTES,
                    CatalogSchema.Migration.additive("tags", "tags"),
                    CatalogSchema.Migration.changing("bodies", "another column", true, false)));
    private static final CatalogSchema BROKEN = new CatalogSchema(
            "broken", "dev/cloche/catalog/broken", List.of(CatalogSchema.Migration.additive("broken", "nothing good")));

    @TempDir
    Path root;

    @Test
    void aNewCatalogHasItsTablesIsPrivateAndKeepsWhatWasWritten() throws IOException {
        try (Catalog catalog = Catalog.open(root.resolve("state"), List.of(NOTES_2))) {
            assertThat(add(catalog, "first")).isEqualTo(1);
            assertThat(setting(catalog, "journal_mode")).isEqualTo("wal");
            for (String file : List.of("catalog.db", "catalog.db-wal", "catalog.db.lock")) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(
                                root.resolve("state").resolve(file))))
                        .as(file)
                        .isEqualTo("rw-------");
            }
        }
        try (Catalog catalog = Catalog.open(root.resolve("state"), List.of(NOTES_2))) {
            assertThat(notes(catalog)).containsExactly("first");
        }
    }

    @Test
    void anOlderCatalogIsMigratedAndKeepsItsRows() {
        try (Catalog catalog = Catalog.open(root, List.of(NOTES_1))) {
            add(catalog, "old");
            assertThatThrownBy(() -> catalog.read(s -> s.list(row -> 1, "SELECT * FROM tag")))
                    .isInstanceOf(CatalogException.Failed.class);
        }
        try (Catalog catalog = Catalog.open(root, List.of(NOTES_2))) {
            assertThat(notes(catalog)).containsExactly("old");
            assertThat(catalog.<List<Integer>, RuntimeException>read(s -> s.list(row -> 1, "SELECT * FROM tag")))
                    .isEmpty();
        }
    }

    @Test
    void beforeAMigrationThatCouldLoseWhatPeopleMadeTheCatalogIsCopied() throws IOException {
        try (Catalog catalog = Catalog.open(root, List.of(NOTES_1))) {
            add(catalog, "old");
        }
        Catalog.open(root, List.of(NOTES_2)).close();
        Path copy = root.resolve("catalog.db.before-notes-2");
        assertThat(copy).exists();
        Path restored = Files.createDirectory(root.resolve("restored"));
        Files.copy(copy, restored.resolve("catalog.db"));
        try (Catalog catalog = Catalog.open(restored, List.of(NOTES_1))) {
            assertThat(notes(catalog)).containsExactly("old");
        }
        assertThat(root).isDirectoryNotContaining("glob:**.tmp-*");
    }

    @Test
    void aNewCatalogIsNotCopied() {
        Catalog.open(root, List.of(NOTES_2)).close();
        assertThat(root).isDirectoryNotContaining("glob:**before*");
    }

    @Test
    void aNewerCatalogIsRefusedAndLeftAlone() throws IOException {
        try (Catalog catalog = Catalog.open(root, List.of(NOTES_2))) {
            add(catalog, "new");
        }
        byte[] before = Files.readAllBytes(root.resolve("catalog.db"));
        assertThatThrownBy(() -> Catalog.open(root, List.of(NOTES_1)))
                .isInstanceOfSatisfying(
                        CatalogException.Newer.class, e -> assertThat(e.code()).isEqualTo("catalog.newer"))
                .hasMessageContaining("version 2")
                .hasMessageContaining("up to 1");
        assertThat(root.resolve("catalog.db")).hasBinaryContent(before);
    }

    @Test
    void aProgramFromBeforeAnAdditiveMigrationWorksOnBesideTheNewerOne() {
        try (Catalog older = Catalog.open(root, List.of(NOTES_1))) {
            add(older, "before");
            try (Catalog newer = Catalog.open(root, List.of(MORE_NOTES))) {
                add(older, "while it is open");
                add(newer, "newer");
            }
        }
        try (Catalog older = Catalog.open(root, List.of(NOTES_1))) {
            add(older, "after");
            assertThat(notes(older)).containsExactly("before", "while it is open", "newer", "after");
        }
        assertThat(CatalogMaintenance.due(root, List.of(NOTES_1))).isEmpty();
        assertThat(CatalogMaintenance.due(root, List.of(MORE_NOTES))).isEmpty();
    }

    @Test
    void aMigrationThatIsNotAdditiveExcludesTheProgramsBeforeIt() {
        Catalog.open(root, List.of(MORE_NOTES)).close();
        Catalog.open(root, List.of(OTHER_NOTES)).close();
        for (CatalogSchema older : List.of(NOTES_1, MORE_NOTES)) {
            assertThatThrownBy(() -> Catalog.open(root, List.of(older)))
                    .isInstanceOf(CatalogException.Newer.class)
                    .hasMessageContaining("has version 3")
                    .hasMessageContaining("know version 3")
                    .hasMessageContaining("up to " + older.version());
        }
    }

    @Test
    void aNewerCatalogThatDoesNotSayWhoMayUseItIsRefused() {
        Catalog.open(root, List.of(MORE_NOTES)).close();
        try (Catalog catalog = Catalog.open(root, List.of(MORE_NOTES))) {
            catalog.write(transaction -> transaction.update("ALTER TABLE catalog_room DROP COLUMN usable_from"));
        }
        assertThatThrownBy(() -> Catalog.open(root, List.of(NOTES_1))).isInstanceOf(CatalogException.Newer.class);
        // The next migration says it, of each room that it changes.
        Catalog.open(root, List.of(OTHER_NOTES)).close();
        try (Catalog catalog = Catalog.open(root, List.of(OTHER_NOTES))) {
            assertThat(catalog.<Optional<Integer>, RuntimeException>read(transaction -> transaction.first(
                            row -> row.getInt(1), "SELECT usable_from FROM catalog_room WHERE room = 'notes'")))
                    .contains(3);
        }
    }

    @Test
    void aFailedMigrationLeavesNothingOfItselfAndIsReported() {
        try (Catalog catalog = Catalog.open(root, List.of(NOTES_1))) {
            add(catalog, "kept");
        }
        assertThatThrownBy(() -> Catalog.open(root, List.of(NOTES_1, BROKEN)))
                .isInstanceOf(CatalogException.Failed.class);
        try (Catalog catalog = Catalog.open(root, List.of(NOTES_1))) {
            assertThat(notes(catalog)).containsExactly("kept");
            assertThat(catalog.<Optional<String>, RuntimeException>read(s -> s.first(
                            row -> row.getString(1), "SELECT name FROM sqlite_schema WHERE name = 'half_done'")))
                    .isEmpty();
        }
    }

    @Test
    void workThatThrowsHasWrittenNothingAndTheNextWriteWorks() {
        try (Catalog catalog = Catalog.open(root, List.of(NOTES_1))) {
            assertThatThrownBy(() -> catalog.write(transaction -> {
                        transaction.update("INSERT INTO note (text) VALUES ('never')");
                        throw new IOException("changed my mind");
                    }))
                    .isInstanceOf(IOException.class)
                    .hasMessage("changed my mind");
            add(catalog, "after");
            assertThat(notes(catalog)).containsExactly("after");
        }
    }

    @Test
    void constraintsAreHeldAndToldApart() {
        try (Catalog catalog = Catalog.open(root, List.of(NOTES_2))) {
            add(catalog, "one");
            assertThatThrownBy(() -> add(catalog, "one")).isInstanceOf(CatalogException.Constraint.class);
            assertThatThrownBy(() ->
                            catalog.write(s -> s.update("INSERT INTO tag (note_id, name) VALUES (?, ?)", 99, "orphan")))
                    .isInstanceOf(CatalogException.Constraint.class);
        }
    }

    @Test
    void writersForceEachTransactionToTheDiskAndHoldForeignKeys() {
        try (Catalog catalog = Catalog.open(root, List.of(NOTES_1))) {
            List<String> settings = catalog.write(transaction -> List.of(
                    transaction
                            .first(row -> row.getString(1), "PRAGMA synchronous")
                            .orElseThrow(),
                    transaction
                            .first(row -> row.getString(1), "PRAGMA foreign_keys")
                            .orElseThrow(),
                    transaction
                            .first(row -> row.getString(1), "PRAGMA journal_mode")
                            .orElseThrow()));
            // 2 is FULL.
            assertThat(settings).containsExactly("2", "1", "wal");
        }
    }

    @Test
    void whatNeedNotBeForcedIsLeftToTheNextWriteThatIs() {
        Catalog.Work<String, RuntimeException> setting = transaction ->
                transaction.first(row -> row.getString(1), "PRAGMA synchronous").orElseThrow();
        try (Catalog catalog = Catalog.open(root, List.of(NOTES_1));
                Catalog other = Catalog.open(root, List.of(NOTES_1))) {
            // 1 is NORMAL, 2 is FULL.
            assertThat(catalog.write(WriteDurability.WITH_NEXT, setting)).isEqualTo("1");
            assertThat(catalog.write(WriteDurability.WITH_NEXT, setting)).isEqualTo("1");
            assertThat(catalog.write(setting)).isEqualTo("2");

            long added = catalog.write(WriteDurability.WITH_NEXT, transaction ->
                    (long) transaction.update("INSERT INTO note (text) VALUES (?)", "seen at once"));
            assertThat(added).isEqualTo(1);
            assertThat(other.<List<String>, RuntimeException>read(
                            transaction -> transaction.list(row -> row.getString(1), "SELECT text FROM note")))
                    .containsExactly("seen at once");
            assertThat(catalog.writeFromReserve(setting)).isEqualTo("2");
        }
    }

    @Test
    void theLogIsPutInItsPlaceByAWriteThatIsForced() throws IOException {
        long pages = 1000;
        String page = "x".repeat(4096);
        try (Catalog catalog = Catalog.open(root, List.of(NOTES_1))) {
            long size = Files.size(root.resolve("catalog.db"));
            for (int i = 0; i < 10; i++) {
                int round = i;
                catalog.write(WriteDurability.WITH_NEXT, transaction -> {
                    for (int written = 0; written < pages / 5; written++) {
                        transaction.update("INSERT INTO note (text) VALUES (?)", page + " " + round + " " + written);
                    }
                    return 0;
                });
            }
            assertThat(Files.size(root.resolve("catalog.db-wal"))).isGreaterThan(2 * pages * page.length());
            assertThat(Files.size(root.resolve("catalog.db"))).isEqualTo(size);
            add(catalog, "forced");
            assertThat(Files.size(root.resolve("catalog.db"))).isGreaterThan(2 * pages * page.length());
        }
    }

    @Test
    void aStatementThatFailedWorksAgainWhenItsReasonIsGone() {
        try (Catalog catalog = Catalog.open(root, List.of(NOTES_1))) {
            add(catalog, "before");
            assertThat(notes(catalog)).containsExactly("before");
            catalog.write(transaction -> transaction.update("ALTER TABLE note RENAME TO lost"));
            assertThatThrownBy(() -> notes(catalog)).isInstanceOf(CatalogException.Failed.class);
            assertThatThrownBy(() -> add(catalog, "never")).isInstanceOf(CatalogException.Failed.class);
            catalog.write(transaction -> transaction.update("ALTER TABLE lost RENAME TO note"));
            add(catalog, "after");
            assertThat(notes(catalog)).containsExactly("before", "after");
        }
    }

    @Test
    void readersWaitForNoWriter() throws Exception {
        try (Catalog catalog = Catalog.open(root, List.of(NOTES_1));
                ExecutorService other = Executors.newSingleThreadExecutor()) {
            add(catalog, "before");
            catalog.write(transaction -> {
                transaction.update("INSERT INTO note (text) VALUES ('unfinished')");
                return assertThat(get(other.submit(() -> notes(catalog)))).containsExactly("before");
            });
        }
    }

    @Test
    void readsCannotWrite() {
        try (Catalog catalog = Catalog.open(root, List.of(NOTES_1))) {
            assertThatThrownBy(() -> catalog.read(s -> s.update("DELETE FROM note")))
                    .isInstanceOf(CatalogException.Denied.class);
        }
    }

    @Test
    void aReadSeesOneSnapshotWhileAnotherThreadWrites() {
        try (Catalog catalog = Catalog.open(root, List.of(NOTES_1));
                ExecutorService other = Executors.newSingleThreadExecutor()) {
            add(catalog, "before");
            List<String> seen = catalog.read(transaction -> {
                int first = transaction.list(row -> 1, "SELECT 1 FROM note").size();
                await(other.submit(() -> add(catalog, "meanwhile")));
                int second = transaction.list(row -> 1, "SELECT 1 FROM note").size();
                return List.of(first + " then " + second);
            });
            assertThat(seen).containsExactly("1 then 1");
            assertThat(notes(catalog)).containsExactly("before", "meanwhile");
        }
    }

    @Test
    void aWriteThatCannotGetTheLockSaysSo() throws Exception {
        try (Catalog holder = Catalog.open(root, List.of(NOTES_1));
                Catalog waiter =
                        Catalog.open(root, List.of(NOTES_1), InstallGate.untilExpiry(), Duration.ofMillis(20));
                ExecutorService other = Executors.newSingleThreadExecutor()) {
            CountDownLatch held = new CountDownLatch(1);
            CountDownLatch release = new CountDownLatch(1);
            Future<?> holding = other.submit(() -> holder.write(transaction -> {
                held.countDown();
                release.await();
                return "done";
            }));
            held.await();
            assertThatThrownBy(() -> add(waiter, "never")).isInstanceOf(CatalogException.Busy.class);
            release.countDown();
            holding.get();
            add(waiter, "now");
            assertThat(notes(waiter)).containsExactly("now");
        }
    }

    @Test
    void aWriteInsideAWriteIsRefused() {
        try (Catalog catalog = Catalog.open(root, List.of(NOTES_1))) {
            assertThatThrownBy(() -> catalog.write(transaction -> add(catalog, "inner")))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(notes(catalog)).isEmpty();
        }
    }

    @Test
    void aFileThatIsNoDatabaseIsRefusedAndLeftAlone() throws IOException {
        Files.writeString(root.resolve("catalog.db"), "this is a letter to my aunt, and it is long enough".repeat(200));
        byte[] before = Files.readAllBytes(root.resolve("catalog.db"));
        assertThatThrownBy(() -> Catalog.open(root, List.of(NOTES_1))).isInstanceOf(CatalogException.Corrupt.class);
        assertThat(root.resolve("catalog.db")).hasBinaryContent(before);
    }

    @Test
    void aClosedCatalogRefusesWorkAndMayBeClosedAgain() {
        Catalog catalog = Catalog.open(root, List.of(NOTES_1));
        catalog.close();
        catalog.close();
        assertThatThrownBy(() -> notes(catalog)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> add(catalog, "late")).isInstanceOf(IllegalStateException.class);
    }

    static int add(Catalog catalog, String text) {
        return catalog.write(transaction -> transaction.update("INSERT INTO note (text) VALUES (?)", text));
    }

    static List<String> notes(Catalog catalog) {
        return catalog.read(
                transaction -> transaction.list(row -> row.getString(1), "SELECT text FROM note ORDER BY id"));
    }

    private static String setting(Catalog catalog, String pragma) {
        return catalog.<Optional<String>, RuntimeException>read(
                        transaction -> transaction.first(row -> row.getString(1), "PRAGMA " + pragma))
                .orElseThrow();
    }

    private static <T> T get(Future<T> future) {
        try {
            return future.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void await(Future<?> future) {
        try {
            future.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
