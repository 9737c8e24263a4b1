package dev.cloche.image.transfer;

import dev.cloche.image.ImageReference;
import dev.cloche.image.PullFailed;
import dev.cloche.image.manifest.Descriptor;
import dev.cloche.image.manifest.Document;
import dev.cloche.image.manifest.ImageSource;
import java.io.InputStream;

/**
 * Stands in for a registry where none is to be asked, or none can be. What is here already needs no source.
 *
 * @param name for messages
 * @param why none is asked
 */
record OfflineSource(String name, String why) implements ImageSource {
    @Override
    public Document manifest(ImageReference reference, String target) {
        throw refused();
    }

    @Override
    public InputStream blob(Descriptor descriptor) {
        throw refused();
    }

    private PullFailed refused() {
        return new PullFailed(PullFailed.Reason.NOT_ALLOWED, name, why);
    }

    @Override
    public void close() {
        // Nothing was opened.
    }
}
