package dev.cloche.catalog;

import java.util.regex.Pattern;

/**
 * The tables that one room keeps in the catalog.
 *
 * @param room name of the room, lower case; it also names the room's migration history
 * @param version version of the newest migration that this program brings, from 1
 * @param location class path directory of the room's migrations, {@code V<n>__<what>.sql}
 */
public record CatalogSchema(String room, int version, String location) {
    private static final Pattern ROOM = Pattern.compile("[a-z][a-z0-9_]{0,31}");

    public CatalogSchema {
        if (!ROOM.matcher(room).matches()) {
            throw new IllegalArgumentException("not a room's name: " + room);
        }
        if (version < 1) {
            throw new IllegalArgumentException("versions begin at 1, not " + version);
        }
        if (location.isBlank() || location.startsWith("/")) {
            throw new IllegalArgumentException("not a class path directory: " + location);
        }
    }
}
