package dev.cloche.image.registry;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageStoreOptions;
import dev.cloche.image.PullListener;
import dev.cloche.image.manifest.Descriptor;
import dev.cloche.image.manifest.Document;
import dev.cloche.image.manifest.ImageSource;
import java.io.InputStream;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A repository at a registry and its mirrors. Loads the HTTP client with the first question: much of a repair needs none. */
public final class RegistrySource implements ImageSource {
    private final ImageReference reference;
    private final ImageStoreOptions options;
    private final Deadline deadline;
    private final PullListener listener;
    private final ReentrantLock opening = new ReentrantLock();
    private @Nullable RepositoryHosts opened;

    public RegistrySource(
            ImageReference reference, ImageStoreOptions options, Deadline deadline, PullListener listener) {
        this.listener = listener;
        this.reference = reference;
        this.options = options;
        this.deadline = deadline;
    }

    @Override
    public String name() {
        return reference.registry();
    }

    @Override
    public Document manifest(ImageReference wanted, String target) {
        int longest = options.limits().documentBytes();
        return hosts().ask(host -> host.caller().call(new FetchManifest(host.repository(), target, longest)));
    }

    @Override
    public InputStream blob(Descriptor descriptor) {
        return new ResumingBlob(hosts(), descriptor);
    }

    private RepositoryHosts hosts() {
        opening.lock();
        try {
            RepositoryHosts hosts = opened;
            if (hosts == null) {
                hosts = new RepositoryHosts(reference, options.registries().get(), deadline, listener);
                opened = hosts;
            }
            return hosts;
        } finally {
            opening.unlock();
        }
    }

    @Override
    public void close() {
        if (opened != null) {
            opened.close();
        }
    }
}
