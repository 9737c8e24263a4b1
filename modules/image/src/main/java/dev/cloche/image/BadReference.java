package dev.cloche.image;

/** A text that is no image's name. */
public final class BadReference extends ImageException {
    public BadReference(String text, String why) {
        super(
                "image.bad-reference",
                "'" + text + "' is no image's name: " + why + ".",
                "Names look like debian, debian:12, ghcr.io/owner/image:tag or host:5000/image@sha256:…",
                null);
    }
}
