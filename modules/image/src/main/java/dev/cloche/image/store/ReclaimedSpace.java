package dev.cloche.image.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/** Deletes files and counts what that gave back, or only counts. For one thread. */
public final class ReclaimedSpace {
    private final Map<CacheDirectory, Integer> files = new EnumMap<>(CacheDirectory.class);
    private final boolean onPaper;
    private long bytes;

    public ReclaimedSpace() {
        this(false);
    }

    private ReclaimedSpace(boolean onPaper) {
        this.onPaper = onPaper;
    }

    /** Counts what would be deleted; each file is to be named once. */
    static ReclaimedSpace onPaper() {
        return new ReclaimedSpace(true);
    }

    /** Deletes a file and counts it. One that is gone already is not counted. */
    void delete(CacheDirectory directory, Path file) throws IOException {
        long length;
        try {
            length = Files.size(file);
        } catch (NoSuchFileException gone) {
            return;
        }
        if (onPaper || Files.deleteIfExists(file)) {
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
