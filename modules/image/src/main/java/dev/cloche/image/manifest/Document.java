package dev.cloche.image.manifest;

import dev.cloche.image.Digest;
import java.util.Optional;

/** A manifest, index or config, byte for byte: its digest is its identity, so it is never written anew. Immutable. */
public final class Document {
    private final byte[] bytes;
    private final Optional<String> mediaType;

    /**
     * @param bytes not to be changed any more
     * @param mediaType what was said of its type where it came from
     */
    public Document(byte[] bytes, Optional<String> mediaType) {
        this.bytes = bytes;
        this.mediaType = mediaType;
    }

    /** Returns the bytes, which are not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    public Optional<String> mediaType() {
        return mediaType;
    }

    public Digest digest() {
        return Digest.of(bytes);
    }
}
