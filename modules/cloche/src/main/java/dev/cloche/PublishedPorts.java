package dev.cloche;

import dev.cloche.sandbox.SandboxException;
import dev.cloche.vm.PublishedPort;
import java.util.List;

/**
 * The ports of this host that lead to a sandbox. Immutable.
 *
 * <pre>{@code
 * try (Sandbox web = cloche.sandbox("nginx").publish(80).start()) {
 *     URI address = web.ports().of(80).uri("http");
 * }
 * }</pre>
 */
public final class PublishedPorts {
    private final String sandbox;
    private final List<PublishedPort> all;

    PublishedPorts(String sandbox, List<PublishedPort> all) {
        this.sandbox = sandbox;
        this.all = List.copyOf(all);
    }

    /** Returns all, in the order in which they were published. */
    public List<PublishedPort> list() {
        return all;
    }

    /**
     * Returns where a TCP port of the guest is published; the first place, if there are several.
     *
     * @param guestPort 1 to 65,535, in the guest
     * @throws dev.cloche.base.ClocheException if it is not published
     */
    public PublishedPort of(int guestPort) {
        return all.stream()
                .filter(port -> port.guestPort() == guestPort && port.protocol() == PublishedPort.Protocol.TCP)
                .findFirst()
                .orElseThrow(() -> new SandboxException.InvalidSpecification(
                        "Port " + guestPort + " of the sandbox \"" + sandbox + "\" is not published on this host.",
                        "Publish it when the sandbox is started, which gives it the network \"user\"."));
    }
}
