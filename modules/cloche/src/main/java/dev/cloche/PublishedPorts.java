package dev.cloche;

import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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
    private final Forwards forwards;

    PublishedPorts(List<PublishedPort> published, Forwards forwards) {
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

    /**
     * The ports of this host that one handle has lead into its guest, each from when it is first asked for until the handle is
     * closed. Thread-safe.
     */
    static final class Forwards implements AutoCloseable {
        private final GuestOwner owner;
        private final Map<Integer, PortForward> open = new LinkedHashMap<>();
        private boolean closed;

        Forwards(GuestOwner owner) {
            this.owner = owner;
        }

        synchronized PublishedPort of(int guestPort) {
            if (closed) {
                throw new VmException.Invalid(
                        "No port leads to a guest by a handle that is closed.",
                        "Ask before you close it, or connect anew.");
            }
            @Nullable PortForward known = open.get(guestPort);
            if (known == null) {
                known = PortForward.open(owner, NetworkSettings.anyFor(guestPort));
                open.put(guestPort, known);
            }
            return known.port();
        }

        synchronized List<PublishedPort> list() {
            return open.values().stream().map(PortForward::port).toList();
        }

        @Override
        public synchronized void close() {
            closed = true;
            open.values().forEach(PortForward::close);
            open.clear();
        }
    }
}
