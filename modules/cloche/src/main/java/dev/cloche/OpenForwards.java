package dev.cloche;

import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The ports of this host that one handle has lead into its guest, each from when it is first asked for until the handle is
 * closed. Thread-safe.
 */
final class OpenForwards implements AutoCloseable {
    private final GuestOwner owner;
    private final Map<Integer, PortForward> open = new LinkedHashMap<>();
    private boolean closed;

    OpenForwards(GuestOwner owner) {
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
