package dev.cloche.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Describes a migration that the catalog does not have yet.
 *
 * @param room whose tables it changes
 * @param version which they have after it
 * @param migration what it does
 */
public record DueMigration(String room, int version, CatalogSchema.Migration migration) {
    static List<DueMigration> of(List<CatalogSchema> behind, Map<String, RoomVersions.Found> found) {
        List<DueMigration> due = new ArrayList<>();
        for (CatalogSchema schema : behind) {
            for (int version = RoomVersions.version(found, schema.room()) + 1; version <= schema.version(); version++) {
                due.add(new DueMigration(
                        schema.room(), version, schema.migrations().get(version - 1)));
            }
        }
        return List.copyOf(due);
    }
}
