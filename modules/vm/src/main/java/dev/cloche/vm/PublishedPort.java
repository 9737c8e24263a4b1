package dev.cloche.vm;

import dev.cloche.base.Printable;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;

/**
 * Describes a port of the host that leads to a port of a guest. Immutable.
 *
 * @param hostAddress IPv4 address of the host, in numbers; {@code 0.0.0.0} for all
 * @param hostPort 1 to 65,535, or 0 for any that is free, which {@link VmQuery#publishedPorts} tells once the VM runs
 * @param guestPort 1 to 65,535
 */
public record PublishedPort(Protocol protocol, String hostAddress, int hostPort, int guestPort) {
    /** The address that only this host's programs can reach. */
    public static final String LOOPBACK = "127.0.0.1";

    private static final int MAX_PORT = 65_535;
    private static final String ALL = "0.0.0.0";

    /** Says what is spoken on a port. */
    public enum Protocol {
        TCP,
        UDP
    }

    /** @throws VmException.Invalid if a part is out of its range */
    public PublishedPort {
        if (!isAddress(hostAddress)) {
            throw new VmException.Invalid(
                    "'" + Printable.of(hostAddress) + "' is no address to publish a port on",
                    "Give an IPv4 address of this host in numbers, like 127.0.0.1.");
        }
        if (hostPort < 0 || hostPort > MAX_PORT) {
            throw noSuchPort("host", hostPort);
        }
        if (guestPort < 1 || guestPort > MAX_PORT) {
            throw noSuchPort("guest", guestPort);
        }
    }

    /**
     * Reads {@code [ADDRESS:][HOST:]GUEST[/tcp|/udp]} as in Docker, where HOST and GUEST are a port or a range like
     * {@code 8000-8010}; without ADDRESS it is {@value #LOOPBACK}, without HOST or with 0 any free port.
     *
     * @return one for each port of the range
     * @throws VmException.Invalid if it is not of that form
     */
    public static List<PublishedPort> parse(String text) {
        return new PublishedPortText(text).ports();
    }

    private static VmException.Invalid noSuchPort(String whose, int port) {
        return new VmException.Invalid(
                "The " + whose + " has no port " + port + ".",
                "Give 1 to 65535; the host's may be 0 for any free one.");
    }

    public PublishedPort withHostPort(int value) {
        return new PublishedPort(protocol, hostAddress, value, guestPort);
    }

    /**
     * Returns the host's end, for a client on this host: a port on all addresses is meant on {@value #LOOPBACK}.
     *
     * <pre>{@code
     * try (Socket socket = new Socket()) {
     *     socket.connect(sandbox.ports().of(6379).address());
     * }
     * }</pre>
     *
     * @throws VmException.Invalid if it is any free port and not known yet
     */
    public InetSocketAddress address() {
        if (hostPort == 0) {
            throw new VmException.Invalid(
                    "Which port of the host leads to port " + guestPort + " is not known yet.",
                    "Ask what runs for its ports.");
        }
        return new InetSocketAddress(InetAddress.ofLiteral(hostAddress.equals(ALL) ? LOOPBACK : hostAddress), hostPort);
    }

    /**
     * Returns {@link #address()} as a URI without a path, for example {@code http://127.0.0.1:40123}.
     *
     * @param scheme for example {@code http} or {@code redis}
     * @throws VmException.Invalid as {@link #address()} does
     * @throws IllegalArgumentException if it is no scheme of a URI
     */
    public URI uri(String scheme) {
        InetSocketAddress address = address();
        return URI.create(scheme + "://" + address.getAddress().getHostAddress() + ":" + address.getPort());
    }

    /** @throws VmException.Invalid if there are too many, or one comes twice */
    static List<PublishedPort> distinct(List<PublishedPort> ports, int most) {
        if (ports.size() > most) {
            throw new VmException.Invalid(ports.size() + " ports cannot be published", "Publish at most " + most + ".");
        }
        for (int i = 0; i < ports.size(); i++) {
            PublishedPort port = ports.get(i);
            if (port.hostPort() != 0 && ports.subList(0, i).stream().anyMatch(port::collides)) {
                throw new VmException.Invalid(
                        "The port " + port.hostEnd() + " is published twice", "Choose another port of the host.");
            }
        }
        return List.copyOf(ports);
    }

    /** Returns whether both want the same port of the host. */
    boolean collides(PublishedPort other) {
        boolean sameAddress =
                hostAddress.equals(other.hostAddress) || hostAddress.equals(ALL) || other.hostAddress.equals(ALL);
        return protocol == other.protocol && hostPort == other.hostPort && sameAddress;
    }

    /** Returns the host's end, for people: {@code 127.0.0.1:8080/tcp}. */
    public String hostEnd() {
        return hostAddress + ":" + hostPort + "/" + protocolName();
    }

    String protocolName() {
        return protocol.name().toLowerCase(Locale.ROOT);
    }

    /** Returns it as {@link #parse} reads it. */
    @Override
    public String toString() {
        return hostAddress + ":" + hostPort + ":" + guestPort + "/" + protocolName();
    }

    static boolean isAddress(String text) {
        try {
            return InetAddress.ofLiteral(text) instanceof Inet4Address address && text.equals(address.getHostAddress());
        } catch (IllegalArgumentException notAnAddress) {
            return false;
        }
    }
}
