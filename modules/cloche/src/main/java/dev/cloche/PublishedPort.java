package dev.cloche;

/**
 * A port of this host that leads to a port of a sandbox.
 *
 * @param protocol {@code tcp} or {@code udp}
 * @param hostAddress the IPv4 address of this host, {@code 0.0.0.0} for all
 * @param hostPort the port of this host that it has got
 * @param guestPort the sandbox's port
 */
public record PublishedPort(String protocol, String hostAddress, int hostPort, int guestPort) {
    /** As Docker writes it: {@code 127.0.0.1:8080->80/tcp}. */
    @Override
    public String toString() {
        return hostAddress + ":" + hostPort + "->" + guestPort + "/" + protocol;
    }
}
