package dev.cloche.image.transfer;

import dev.cloche.base.DurableFiles;
import dev.cloche.image.Digest;
import dev.cloche.image.layer.ObservedStream;
import dev.cloche.image.store.CacheFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a layer's blob as it came while it is being read, for sources that do not last, such as an archive, from which it could
 * not be read again.
 */
final class KeptBlob implements AutoCloseable {
    private final @Nullable Path temporary;
    private final @Nullable Path target;
    private final OutputStream copy;

    private KeptBlob(@Nullable Path temporary, @Nullable Path target, OutputStream copy) {
        this.temporary = temporary;
        this.target = target;
        this.copy = copy;
    }

    /** Keeps nothing. */
    static KeptBlob none() {
        return new KeptBlob(null, null, OutputStream.nullOutputStream());
    }

    static KeptBlob of(CacheFiles files, Digest diffId) throws IOException {
        Path temporary = files.temporaryLayer(diffId);
        return new KeptBlob(temporary, files.blob(diffId), Files.newOutputStream(temporary));
    }

    /** Returns the same bytes; what is read of them is kept. */
    InputStream through(InputStream blob) {
        return temporary == null ? blob : new Copied(blob);
    }

    /** To be called when everything has been read and found right. */
    void publish() throws IOException {
        if (temporary != null && target != null) {
            copy.close();
            DurableFiles.force(temporary);
            DurableFiles.publish(temporary, target);
        }
    }

    @Override
    public void close() throws IOException {
        copy.close();
        if (temporary != null) {
            Files.deleteIfExists(temporary);
        }
    }

    private final class Copied extends ObservedStream {
        Copied(InputStream blob) {
            super(blob);
        }

        @Override
        protected void seen(byte[] bytes, int offset, int length) throws IOException {
            copy.write(bytes, offset, length);
        }
    }
}
