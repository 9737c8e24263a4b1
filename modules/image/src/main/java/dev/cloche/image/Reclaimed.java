package dev.cloche.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/** Deletes files and counts what that gave back. For one thread. */
final class Reclaimed {
    private final Map<CacheDirectory, Integer> files = new EnumMap<>(CacheDirectory.class);
    private long bytes;

    /** A file that is gone already is nobody's loss, and not counted. */
    void delete(CacheDirectory directory, Path file) throws IOException {
        long length;
        try {
            length = Files.size(file);
        } catch (NoSuchFileException gone) {
            return;
        }
        if (Files.deleteIfExists(file)) {
            bytes += length;
            files.merge(directory, 1, Integer::sum);
        }
    }

    int files(CacheDirectory directory) {
        return files.getOrDefault(directory, 0);
    }

    long bytes() {
        return bytes;
    }
}
