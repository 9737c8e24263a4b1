package dev.cloche.catalog;

import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Keeps one row for each room with the version of its tables: what an opening program looks at instead of the histories of
 * migrations.
 */
final class RoomVersions {
    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS catalog_room (
                room TEXT PRIMARY KEY,
                version INTEGER NOT NULL,
                usable_from INTEGER
            ) STRICT
            """;

    private RoomVersions() {}

    /**
     * Describes the tables of one room.
     *
     * @param version that they have
     * @param usableFrom the oldest version whose programs may work with them, at most {@code version}
     */
    record Found(int version, int usableFrom) {
        private static final Found NOTHING = new Found(0, 0);

        /** Reads a row; without the last column, which earlier builds did not have, only programs of its version may. */
        private static Found of(ResultSet row) throws SQLException {
            int version = row.getInt(2);
            int usableFrom = row.getInt(3);
            return new Found(version, row.wasNull() ? version : usableFrom);
        }
    }

    /** Reads what is known of each room; nothing of a new file. */
    static Map<String, Found> read(CatalogTransaction transaction) throws SQLException {
        Optional<String> table = table(transaction);
        if (table.isEmpty()) {
            return Map.of();
        }
        String usableFrom = hasUsableFrom(table.get()) ? "usable_from" : "NULL";
        return transaction
                .list(
                        row -> Map.entry(row.getString(1), Found.of(row)),
                        "SELECT room, version, " + usableFrom + " FROM catalog_room")
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Makes the table, or the column that those of earlier builds lack. */
    static void create(CatalogTransaction transaction) throws SQLException {
        Optional<String> table = table(transaction);
        if (table.isEmpty()) {
            transaction.update(CREATE);
        } else if (!hasUsableFrom(table.get())) {
            transaction.update("ALTER TABLE catalog_room ADD COLUMN usable_from INTEGER");
        }
    }

    static void record(CatalogTransaction transaction, CatalogSchema schema) throws SQLException {
        transaction.update(
                "INSERT INTO catalog_room (room, version, usable_from) VALUES (?, ?, ?) ON CONFLICT (room)"
                        + " DO UPDATE SET version = excluded.version, usable_from = excluded.usable_from",
                schema.room(),
                schema.version(),
                schema.usableFrom());
    }

    /** Returns the version of a room's tables, 0 where there are none. */
    static int version(Map<String, Found> found, String room) {
        return found.getOrDefault(room, Found.NOTHING).version();
    }

    /**
     * Returns the schemas that are behind, in the order given. A file that is ahead of one is no reason to refuse it, as
     * long as the migrations that made it so were additive.
     *
     * @throws CatalogException.Newer if the file is ahead of one of them and not usable by this program
     */
    static List<CatalogSchema> due(Path file, List<CatalogSchema> schemas, Map<String, Found> found) {
        for (CatalogSchema schema : schemas) {
            Found room = found.getOrDefault(schema.room(), Found.NOTHING);
            if (room.version() > schema.version() && room.usableFrom() > schema.version()) {
                throw new CatalogException.Newer(file, schema.room(), room, schema.version());
            }
        }
        return schemas.stream()
                .filter(schema -> version(found, schema.room()) < schema.version())
                .toList();
    }

    private static Optional<String> table(CatalogTransaction transaction) throws SQLException {
        return transaction.first(
                row -> row.getString(1),
                "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'catalog_room'");
    }

    private static boolean hasUsableFrom(String table) {
        return table.contains("usable_from");
    }
}
