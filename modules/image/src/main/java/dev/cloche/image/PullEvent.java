package dev.cloche.image;

/** Says what happens during a pull. */
public sealed interface PullEvent {
    /** The name has been resolved to an image of this many distinct layers. */
    record Resolved(ImageReference reference, Digest manifest, int layers) implements PullEvent {}

    /** So many bytes of a compressed layer have been read, of {@code totalBytes}. */
    record Progress(Digest layer, long bytes, long totalBytes) implements PullEvent {}

    /** A layer is complete; {@code reused} if it was here already. */
    record LayerReady(Digest layer, boolean reused) implements PullEvent {}

    /** Something about the image is odd, and does no harm. */
    record Warning(String text) implements PullEvent {}
}
