package dev.cloche.image.transfer;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Describes the files of a layout in a directory. */
record LayoutDirectory(Path directory) implements LayoutFiles {
    @Override
    public String name() {
        return directory.toString();
    }

    /** @param path one of the names of the specification, never one that a document chose */
    @Override
    public InputStream open(String path) throws IOException {
        return new BufferedInputStream(Files.newInputStream(directory.resolve(path)), 1 << 16);
    }
}
