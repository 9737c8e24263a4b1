package dev.cloche.catalog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Tells a read-only file system from a directory that this user may not write to. */
final class ReadOnlyFiles {
    private ReadOnlyFiles() {}

    /** Of a directory that may be missing. Costs one system call where it can be written to. */
    static boolean isReadOnly(Path directory) {
        try {
            return Files.isDirectory(directory)
                    && !Files.isWritable(directory)
                    && Files.getFileStore(directory).isReadOnly();
        } catch (IOException unknown) {
            return false;
        }
    }
}
