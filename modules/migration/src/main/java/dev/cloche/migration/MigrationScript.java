package dev.cloche.migration;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.zip.CRC32;

/**
 * Holds one migration: statements that bring the tables from the version before to its own.
 *
 * @param version from 1
 * @param file its name, {@code V<version>__<name>.sql}
 * @param sql any number of statements, none of which begins or ends a transaction
 */
public record MigrationScript(int version, String file, String sql) {
    public MigrationScript {
        if (version < 1) {
            throw new IllegalArgumentException("migrations are numbered from 1, not " + version);
        }
    }

    /**
     * Reads the script of a version from the class path. By its name and not by listing a directory, which cannot be done
     * in every kind of archive that applications are packed into.
     *
     * @param directory on the class path, without a slash at either end
     * @param name what stands behind the version in the file's name
     * @throws IllegalStateException if there is no such file
     */
    public static MigrationScript load(ClassLoader loader, String directory, int version, String name) {
        String file = "V" + version + "__" + name + ".sql";
        try (InputStream resource = loader.getResourceAsStream(directory + "/" + file)) {
            if (resource == null) {
                throw new IllegalStateException("the class path lacks " + directory + "/" + file);
            }
            return new MigrationScript(version, file, new String(resource.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the CRC-32 of the lines without their ends: Flyway's checksum, so that a history of it stays comparable. */
    public int checksum() {
        CRC32 crc = new CRC32();
        for (Iterator<String> lines = sql.lines().iterator(); lines.hasNext(); ) {
            crc.update(lines.next().getBytes(StandardCharsets.UTF_8));
        }
        return (int) crc.getValue();
    }
}
