package dev.cloche.image;

import java.util.Optional;

/** A manifest, index or config, byte for byte: its digest is its identity, so it is never written anew. Immutable. */
final class Document {
    private final byte[] bytes;
    private final Optional<String> mediaType;

    /**
     * @param bytes not to be changed any more
     * @param mediaType what was said of its type where it came from
     */
    Document(byte[] bytes, Optional<String> mediaType) {
        this.bytes = bytes;
        this.mediaType = mediaType;
    }

    /** Not to be changed. */
    byte[] bytes() {
        return bytes;
    }

    Optional<String> mediaType() {
        return mediaType;
    }

    Digest digest() {
        return Digest.of(bytes);
    }
}
