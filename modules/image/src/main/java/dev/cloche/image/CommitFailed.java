package dev.cloche.image;

import org.jspecify.annotations.Nullable;

/** No image could be made of what a sandbox has changed. Nothing of it has been kept. Code {@code image.commit-failed}. */
public final class CommitFailed extends ImageException {
    public CommitFailed(String why, String remedy, @Nullable Throwable cause) {
        super("image.commit-failed", "No image can be made of the changes: " + why + ".", remedy, cause);
    }
}
