package dev.cloche.image;

import org.jspecify.annotations.Nullable;

/** A file is no archive of images, or does not say which. Nothing of it has been kept. */
public final class LoadFailed extends ImageException {
    public LoadFailed(String archive, String why, @Nullable Throwable cause) {
        super(
                "image.load-failed",
                "The images of " + archive + " cannot be loaded: " + why + ".",
                "Give an archive of `docker save` or of cloche.images().save(…), or an OCI layout; an image without a"
                        + " name in it needs one.",
                cause);
    }
}
