package dev.cloche.vmm.disk;

import dev.cloche.vm.SnapshotRef;
import java.io.IOException;
import java.nio.file.Path;

/** What a persistent disk consists of besides its record and its locks. Everything that is written is forced to disk. */
public interface DiskContents {
    /** Fills a directory with an empty disk. */
    void make(Path directory, int sizeMiB) throws IOException;

    /**
     * Fills a directory with the disk of a snapshot.
     *
     * @return its size in MiB
     */
    int make(Path directory, SnapshotRef snapshot) throws IOException;

    void grow(Path directory, int sizeMiB) throws IOException;

    void copy(Path from, Path to) throws IOException;

    /**
     * Fills a directory with the content of a file.
     *
     * @return its size in MiB
     */
    int make(Path directory, Path raw) throws IOException;

    void flatten(Path directory, Path raw) throws IOException;
}
