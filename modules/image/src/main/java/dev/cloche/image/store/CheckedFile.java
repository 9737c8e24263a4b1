package dev.cloche.image.store;

import dev.cloche.base.FileStamp;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageCacheFailed;
import dev.cloche.image.layer.FileFingerprint;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Describes a file of the cache as it was written, and how to tell without reading it that it still is.
 *
 * @param stamp {@link FileStamp#state()} of when it was last found to be what was written, in this boot of the host;
 *     {@link #UNCHECKED} if it was not
 */
public record CheckedFile(FileFingerprint written, String stamp) {
    /** The stamp of a file that is to be read before its next use. */
    static final String UNCHECKED = "";

    /** Returns the file as it is now. It was just written, or found to be so, and has its name. */
    public static CheckedFile now(FileFingerprint written, Path file) throws IOException {
        return new CheckedFile(written, stampOf(file));
    }

    /** Returns whether the file was found to be what was written, and has not been touched since. */
    boolean isUntouched(Path file) {
        try {
            return !stamp.equals(UNCHECKED) && stamp.equals(stampOf(file));
        } catch (NoSuchFileException gone) {
            return false;
        } catch (IOException e) {
            throw new ImageCacheFailed(file, e);
        }
    }

    public long bytes() {
        return written.bytes();
    }

    Digest sha256() {
        return written.sha256();
    }

    private static String stampOf(Path file) throws IOException {
        return FileStamp.of(file).state();
    }
}
