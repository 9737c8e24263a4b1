package dev.cloche.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.Deadline;
import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.catalog.CatalogTransaction;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Earlier builds had an event in the table of changes too. */
class FeedMigrationTest {
    private static final CatalogSchema SCHEMA = SqliteProcessStore.schema();
    private static final CatalogSchema V1 = new CatalogSchema(
            SCHEMA.room(), SCHEMA.location(), SCHEMA.migrations().subList(0, 1));

    @TempDir
    Path root;

    @Test
    void anEventIsInTheFeedOnceAndItsPositionIsNotUsedAgain() {
        try (Catalog catalog = Catalog.open(root, List.of(V1))) {
            catalog.write(FeedMigrationTest::aProcessWithAnEvent);
        }
        try (Catalog catalog = Catalog.open(root, List.of(SCHEMA));
                SqliteProcessStore store = SqliteProcessStore.open(catalog, root)) {
            ChangePage feed = store.read(reads -> reads.changes(Optional.empty(), 10), Deadline.none());
            assertThat(feed.changes())
                    .containsExactly(
                            Change.of("p", Change.Kind.REGISTERED),
                            new Change("p", Change.Kind.EVENT, 1, Optional.of("note")));
            store.write(transaction -> {
                transaction.change(Change.of("p", Change.Kind.RELEASED));
                return true;
            });
            assertThat(store.lastPosition()).isEqualTo(3);
        }
    }

    private static int aProcessWithAnEvent(CatalogTransaction transaction) throws SQLException {
        transaction.update("""
                INSERT INTO process (key, id, hash, input_type, recovery, lease_required, status, last_sequence, fence,
                                     attempts, created_at, updated_at)
                VALUES (1, 'p', 'hash', 'work', 'externally_owned', 0, 'running', 1, 0, 0, 10, 20)
                """);
        transaction.update(
                "INSERT INTO process_change (position, process_id, kind, sequence) VALUES (1, 'p', 'REGISTERED', 0)");
        transaction.update("""
                INSERT INTO process_change (position, process_id, kind, sequence, event_type)
                VALUES (2, 'p', 'EVENT', 1, 'note')
                """);
        return transaction.update("""
                INSERT INTO process_event (key, process, sequence, type, payload, payload_hash, at)
                VALUES (2, 1, 1, 'note', 'null', 'hash', 20)
                """);
    }
}
