package dev.cloche.image;

import java.io.IOException;
import java.nio.file.Path;

/** The files of the image cache could not be read or written. */
public final class ImageCacheFailed extends ImageException {
    public ImageCacheFailed(Path what, IOException cause) {
        super(
                "image.cache-failed",
                "The image cache failed at " + what + ": " + cause.getMessage() + ".",
                "Check the space, the owner and the health of its file system.",
                cause);
    }
}
