package dev.cloche.image;

import org.jspecify.annotations.Nullable;

/** An image could not be written to an archive. Nothing of the archive has been kept. */
public final class SaveFailed extends ImageException {
    public SaveFailed(String what, String remedy, @Nullable Throwable cause) {
        super("image.save-failed", what, remedy, cause);
    }
}
