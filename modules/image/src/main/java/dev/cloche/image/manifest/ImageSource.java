package dev.cloche.image.manifest;

import dev.cloche.image.ImageReference;
import java.io.IOException;
import java.io.InputStream;

/** Says where images come from. What it hands out is not to be trusted. Thread-safe. */
public interface ImageSource extends AutoCloseable {
    /** Returns a name for messages. */
    String name();

    /** Returns whether it can be asked again some day; what comes from one that does not last is kept as it came. */
    default boolean lasts() {
        return true;
    }

    /** Returns whether this blob can be had again some day, from here or as the layer of another image. */
    default boolean lasts(Descriptor blob) {
        return lasts();
    }

    /**
     * Returns a manifest or index; one byte longer than the limit if it is too long.
     *
     * @param target tag or digest
     */
    Document manifest(ImageReference reference, String target) throws IOException;

    /** Returns the content of a blob. */
    InputStream blob(Descriptor descriptor) throws IOException;

    @Override
    void close();
}
