package dev.cloche.image.transfer;

import dev.cloche.image.Digest;
import java.io.IOException;
import java.io.InputStream;

/** Files by the names that they have in an image layout, wherever they are. Thread-safe. */
interface LayoutFiles extends AutoCloseable {
    /** For messages. */
    String name();

    /**
     * Returns a file's content.
     *
     * @throws java.nio.file.NoSuchFileException if there is none of this name
     */
    InputStream open(String path) throws IOException;

    @Override
    default void close() throws IOException {
        // Most hold nothing open between calls.
    }

    /** Returns the name of a blob in every layout. */
    static String blob(Digest digest) {
        return "blobs/sha256/" + digest.hex();
    }

    /** Returns a whole file; one byte longer than {@code longest} if it is too long. */
    default byte[] read(String path, int longest) throws IOException {
        try (InputStream in = open(path)) {
            return in.readNBytes(longest + 1);
        }
    }
}
