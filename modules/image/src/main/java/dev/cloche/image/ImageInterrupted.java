package dev.cloche.image;

/** The thread was interrupted that worked on images of this host, and not on a pull. Code {@code image.interrupted}. */
public final class ImageInterrupted extends ImageException {
    public ImageInterrupted(Throwable cause) {
        super(
                "image.interrupted",
                "The work on the images of this host was interrupted.",
                "Try again if it still matters; what was done of it stays done.",
                cause);
    }
}
