package dev.cloche.image;

/** A layer's archive is damaged, exceeds the limits, or wants to reach outside of the image. */
public final class CorruptArchiveException extends ImageException {
    private final String what;

    public CorruptArchiveException(String what) {
        super(
                "image.corrupt-archive",
                "The layer's archive is refused: " + what + ".",
                "Ask the image's publisher for a sound image, or raise the archive limits if it is merely large.",
                null);
        this.what = what;
    }

    /** Returns what is wrong with it, as part of a sentence. */
    public String what() {
        return what;
    }
}
