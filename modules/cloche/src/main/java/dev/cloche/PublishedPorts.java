package dev.cloche;

import dev.cloche.vm.PublishedPort;
import java.util.List;
import java.util.stream.Stream;

/**
 * The ports of this host that lead to a sandbox or a machine: those that were published when it was started, and those that its
 * handle leads there because they were asked for. Thread-safe.
 *
 * <pre>{@code
 * try (Sandbox web = cloche.sandbox("nginx").start()) {
 *     URI address = web.ports().of(80).uri("http");
 * }
 * }</pre>
 */
public final class PublishedPorts {
    private final List<PublishedPort> published;
    private final OpenForwards forwards;

    PublishedPorts(List<PublishedPort> published, OpenForwards forwards) {
        this.published = List.copyOf(published);
        this.forwards = forwards;
    }

    /** Returns all that there are now: the published ones first, in the order in which they were asked for. */
    public List<PublishedPort> list() {
        return Stream.concat(published.stream(), forwards.list().stream()).toList();
    }

    /**
     * Returns where a TCP port of the guest is reached: the first place where it is published, else a free port of 127.0.0.1
     * that leads there from now on, through the channel on which Cloche speaks with the guest, until the handle is closed. For
     * the latter the guest needs no network; what listens there, and when, does not matter yet.
     *
     * @param guestPort 1 to 65,535, in the guest
     * @throws dev.cloche.base.ClocheException if there is no such port, the host has none, or the handle is closed
     */
    public PublishedPort of(int guestPort) {
        return published.stream()
                .filter(port -> port.guestPort() == guestPort && port.protocol() == PublishedPort.Protocol.TCP)
                .findFirst()
                .orElseGet(() -> forwards.of(guestPort));
    }
}
