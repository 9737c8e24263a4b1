package dev.cloche;

import java.util.List;

/**
 * A port of this host that leads to a port of a sandbox.
 *
 * @param protocol {@code tcp} or {@code udp}
 * @param hostAddress the IPv4 address of this host, {@code 0.0.0.0} for all
 * @param hostPort the port of this host that it has got
 * @param guestPort the sandbox's port
 */
public record PublishedPort(String protocol, String hostAddress, int hostPort, int guestPort) {
    static List<PublishedPort> of(List<dev.cloche.vm.PublishedPort> ports) {
        return ports.stream()
                .map(port -> new PublishedPort(
                        Words.of(port.protocol()), port.hostAddress(), port.hostPort(), port.guestPort()))
                .toList();
    }

    /** As Docker writes it: {@code 127.0.0.1:8080->80/tcp}. */
    @Override
    public String toString() {
        return hostAddress + ":" + hostPort + "->" + guestPort + "/" + protocol;
    }
}
