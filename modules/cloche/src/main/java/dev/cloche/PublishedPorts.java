package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.base.Incubating;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The ports of this host that lead to a sandbox or a machine: those that are published, and those that its handle leads there
 * because they were asked for. Thread-safe.
 *
 * <pre>{@code
 * try (Sandbox web = cloche.sandbox("nginx").start()) {
 *     URI address = web.ports().of(80).uri("http");
 * }
 * }</pre>
 */
public final class PublishedPorts {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final GuestOwner owner;
    private final Forwards forwards;

    PublishedPorts(GuestOwner owner, Forwards forwards) {
        this.owner = owner;
        this.forwards = forwards;
    }

    /** Returns all that there are now: the published ones first, in the order in which they were asked for. */
    public List<PublishedPort> list() {
        return Stream.concat(owner.publishedPorts().stream(), forwards.list().stream())
                .toList();
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
        return owner.publishedPorts().stream()
                .filter(port -> port.guestPort() == guestPort && port.protocol() == PublishedPort.Protocol.TCP)
                .findFirst()
                .orElseGet(() -> forwards.of(guestPort));
    }

    /**
     * Publishes a TCP port of the guest on any free port of 127.0.0.1. Short for {@link #publish(PublishedPort)}.
     *
     * <pre>{@code
     * PublishedPort redis = sandbox.ports().publish(6379);
     * }</pre>
     *
     * @param guestPort 1 to 65,535, in the guest
     */
    @Incubating
    public PublishedPort publish(int guestPort) {
        return publish(NetworkSettings.anyFor(guestPort));
    }

    /**
     * Publishes a TCP port of the guest that runs, until {@link #unpublish} or the end of the guest's VM. Connections go the way of
     * {@link Sandbox#dial(int)}, so the guest needs no network; other than a port that {@link #of} leads there, it does not end with
     * the handle or this process. On another address than 127.0.0.1 other hosts can connect too. At most 64 of a guest.
     *
     * <pre>{@code
     * sandbox.ports().publish(PublishedPort.parse("8080:80").getFirst());
     * }</pre>
     *
     * @return the same, with the port of the host that it has got
     * @throws dev.cloche.base.ClocheException with the code {@code vm.port} if the host's port is not to be had, with {@code
     *     vm.older-guard} if the VM began with a version of Cloche that could not do this, or if it has ended
     */
    @Incubating
    public PublishedPort publish(PublishedPort port) {
        return owner.publish(port, Deadline.after(LIMIT));
    }

    /**
     * Takes back a port that {@link #publish(PublishedPort)} has returned, in any process; one that is not there does not matter.
     * Connections over it go on.
     *
     * <pre>{@code
     * sandbox.ports().list().forEach(sandbox.ports()::unpublish);
     * }</pre>
     */
    @Incubating
    public void unpublish(PublishedPort port) {
        owner.unpublish(port, Deadline.after(LIMIT));
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
