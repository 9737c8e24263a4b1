package dev.cloche.image.manifest;

import dev.cloche.image.ImageReference;
import java.io.IOException;
import java.io.InputStream;

/** Where images come from. What it hands out is not to be trusted. Thread-safe. */
public interface ImageSource extends AutoCloseable {
    /** For messages. */
    String name();

    /** Whether it can be asked again some day; what comes from one that does not last is kept as it came. */
    default boolean lasts() {
        return true;
    }

    /**
     * A manifest or index; one byte longer than the limit if it is too long.
     *
     * @param target tag or digest
     */
    Document manifest(ImageReference reference, String target) throws IOException;

    /** The content of a blob. */
    InputStream blob(Descriptor descriptor) throws IOException;

    @Override
    void close();
}
