package dev.cloche.catalog;

import dev.cloche.migration.MigrationScript;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Describes the tables that one room keeps in the catalog. Their version is the number of migrations that made them.
 *
 * @param room name of the room, lower case; it also names the room's migration history
 * @param location class path directory of the room's migrations, {@code V<n>__<what>.sql}
 * @param migrations every migration that this program brings, the first is version 1; what was once released is never
 *     changed again
 */
public record CatalogSchema(String room, String location, List<Migration> migrations) {
    private static final Pattern ROOM = Pattern.compile("[a-z][a-z0-9_]{0,31}");

    /**
     * Says what is to be known of a migration before it is run.
     *
     * @param name the part of its file's name behind the version, {@code V<version>__<name>.sql}
     * @param what it does, in a few words
     * @param reversible whether all that was recorded before can still be told from what is recorded after it
     * @param touchesUserData whether it changes or deletes rows that people made and no program could make again:
     *     sandboxes and names, but not what was pulled or measured
     * @param additive whether a program that does not know it works with the tables all the same: it makes tables and
     *     columns only, which have defaults, and no value that such a program cannot read
     */
    public record Migration(String name, String what, boolean reversible, boolean touchesUserData, boolean additive) {
        /** Describes a migration that programs which do not know it need not notice. */
        public static Migration additive(String name, String what) {
            return new Migration(name, what, true, false, true);
        }

        /** Describes a migration after which only programs that know it may work with the tables. */
        public static Migration changing(String name, String what, boolean reversible, boolean touchesUserData) {
            return new Migration(name, what, reversible, touchesUserData, false);
        }

        /** Returns whether something could be lost by it for good. */
        boolean wantsBackup() {
            return touchesUserData && !reversible;
        }
    }

    public CatalogSchema {
        migrations = List.copyOf(migrations);
        if (!ROOM.matcher(room).matches()) {
            throw new IllegalArgumentException("not a room's name: " + room);
        }
        if (migrations.isEmpty()) {
            throw new IllegalArgumentException("a room without tables needs no schema");
        }
        if (location.isBlank() || location.startsWith("/")) {
            throw new IllegalArgumentException("not a class path directory: " + location);
        }
    }

    /** Returns the migrations' statements, the first is version 1. */
    List<MigrationScript> scripts() {
        return IntStream.rangeClosed(1, version())
                .mapToObj(version -> MigrationScript.load(
                        CatalogSchema.class.getClassLoader(),
                        location,
                        version,
                        migrations.get(version - 1).name()))
                .toList();
    }

    /** Returns the version of the newest migration, from 1. */
    public int version() {
        return migrations.size();
    }

    /** Returns the oldest version whose programs may still work with these tables: that of the last one not additive. */
    int usableFrom() {
        int version = version();
        while (version > 1 && migrations.get(version - 1).additive()) {
            version--;
        }
        return version;
    }
}
