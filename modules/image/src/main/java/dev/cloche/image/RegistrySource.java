package dev.cloche.image;

import dev.cloche.base.Deadline;
import java.io.InputStream;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A repository at a registry. Loads the HTTP client with the first question: much of a repair needs none. */
final class RegistrySource implements ImageSource {
    private final ImageReference reference;
    private final ImageStoreOptions options;
    private final Deadline deadline;
    private final ReentrantLock opening = new ReentrantLock();
    private @Nullable RegistryCaller opened;

    RegistrySource(ImageReference reference, ImageStoreOptions options, Deadline deadline) {
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
        return caller().call(new FetchManifest(
                reference.repository(), target, options.limits().documentBytes()));
    }

    @Override
    public InputStream blob(Descriptor descriptor) {
        return new ResumingBlob(caller(), reference.repository(), descriptor);
    }

    private RegistryCaller caller() {
        opening.lock();
        try {
            RegistryCaller caller = opened;
            if (caller == null) {
                RegistryOptions registries = options.registries();
                caller = RegistryCaller.forRepository(
                        RegistryHost.of(reference.registry(), registries.plainHttp()),
                        reference.repository(),
                        registries,
                        deadline);
                opened = caller;
            }
            return caller;
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
