package dev.cloche.image.registry;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageReference;
import dev.cloche.image.PullFailed;
import dev.cloche.image.PullListener;
import dev.cloche.image.RegistryMirror;
import dev.cloche.image.RegistryOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * Chooses the host that serves a repository: its registry's mirrors in their order, then the registry itself. A mirror that fails
 * once, in any way, is not asked again in this pull. Thread-safe.
 *
 * <p>A mirror is asked with the login for its own name, never with the registry's.
 */
final class RepositoryHosts implements AutoCloseable {
    /**
     * Describes one that serves it.
     *
     * @param repository as it is called there
     */
    record Host(RegistryCaller caller, String repository) {}

    private final ImageReference reference;
    private final RegistryOptions options;
    private final Deadline deadline;
    private final PullListener listener;
    private final List<RegistryMirror> mirrors;
    private final ReentrantLock choosing = new ReentrantLock();
    private final List<Host> opened = new ArrayList<>();

    RepositoryHosts(ImageReference reference, RegistryOptions options, Deadline deadline, PullListener listener) {
        this.listener = listener;
        this.reference = reference;
        this.options = options;
        this.deadline = deadline;
        this.mirrors = options.mirrors().getOrDefault(reference.registry(), List.of());
    }

    /** Returns the one to ask at present. */
    Host current() {
        choosing.lock();
        try {
            if (opened.isEmpty()) {
                opened.add(open(0));
            }
            return opened.getLast();
        } finally {
            choosing.unlock();
        }
    }

    /**
     * Returns the host to ask after {@code failed} has failed; throws that failure if it was the last host, or no time is left.
     */
    Host after(Host failed, PullFailed failure) {
        choosing.lock();
        try {
            if (failure.reason() == PullFailed.Reason.GAVE_UP) {
                throw failure;
            }
            if (opened.getLast().equals(failed)) {
                if (opened.size() > mirrors.size()) {
                    throw failure;
                }
                opened.add(open(opened.size()));
            }
            return opened.getLast();
        } finally {
            choosing.unlock();
        }
    }

    /** What the first of them answers that can. */
    <T> T ask(Function<Host, T> question) {
        Host host = current();
        while (true) {
            try {
                return question.apply(host);
            } catch (PullFailed e) {
                host = after(host, e);
            }
        }
    }

    private Host open(int index) {
        boolean mirror = index < mirrors.size();
        String name = mirror ? mirrors.get(index).host() : reference.registry();
        String repository = mirror ? mirrors.get(index).repository(reference.repository()) : reference.repository();
        RegistryHost host = RegistryHost.of(name, options.plainHttp());
        return new Host(RegistryCaller.forRepository(host, repository, options, deadline, listener), repository);
    }

    @Override
    public void close() {
        choosing.lock();
        try {
            opened.forEach(host -> host.caller().close());
        } finally {
            choosing.unlock();
        }
    }
}
