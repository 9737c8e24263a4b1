package dev.cloche.catalog;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One row per room with the version of its tables: what an opening program looks at instead of the histories of
 * migrations.
 */
final class RoomVersions {
    private static final String CREATE =
            "CREATE TABLE IF NOT EXISTS catalog_room (room TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT";

    private RoomVersions() {}

    /** Versions by room; empty for a new file. */
    static Map<String, Integer> read(Session session) throws SQLException {
        boolean exists = session.first(
                        row -> row.getInt(1),
                        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'catalog_room'")
                .isPresent();
        if (!exists) {
            return Map.of();
        }
        return session
                .list(row -> Map.entry(row.getString(1), row.getInt(2)), "SELECT room, version FROM catalog_room")
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    static void create(Session session) throws SQLException {
        session.update(CREATE);
    }

    static void record(Session session, CatalogSchema schema) throws SQLException {
        session.update(
                "INSERT INTO catalog_room (room, version) VALUES (?, ?)"
                        + " ON CONFLICT (room) DO UPDATE SET version = excluded.version",
                schema.room(),
                schema.version());
    }

    /**
     * Returns the schemas that are behind, in the order given.
     *
     * @throws CatalogException.Newer if the file is ahead of one of them
     */
    static List<CatalogSchema> due(Path file, List<CatalogSchema> schemas, Map<String, Integer> found) {
        for (CatalogSchema schema : schemas) {
            int version = found.getOrDefault(schema.room(), 0);
            if (version > schema.version()) {
                throw new CatalogException.Newer(file, schema.room(), version, schema.version());
            }
        }
        return schemas.stream()
                .filter(schema -> found.getOrDefault(schema.room(), 0) < schema.version())
                .toList();
    }
}
