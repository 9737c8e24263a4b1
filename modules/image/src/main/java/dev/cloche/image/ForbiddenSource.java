package dev.cloche.image;

import java.io.InputStream;

/** Where a registry is not to be asked. What is here already needs no source. */
record ForbiddenSource(String name) implements ImageSource {
    @Override
    public Document manifest(ImageReference reference, String target) {
        throw refused();
    }

    @Override
    public InputStream blob(Descriptor descriptor) {
        throw refused();
    }

    private PullFailed refused() {
        return new PullFailed(PullFailed.Reason.NOT_ALLOWED, name, "a pull was not allowed");
    }

    @Override
    public void close() {
        // Nothing was opened.
    }
}
