package dev.cloche.vm;

import dev.cloche.base.Printable;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/** Says what network a VM has. Immutable. */
public sealed interface NetworkSpec {
    /** Returns none: the guest has no network device at all. */
    static NetworkSpec none() {
        return new None();
    }

    /** Returns the network of the user who runs Cloche, but for the host itself; with nothing published. */
    static User user() {
        return new User(List.of(), Optional.empty());
    }

    /** No device. */
    record None() implements NetworkSpec {}

    /**
     * Through passt: the guest reaches what this user's programs can reach in IPv4, but for the host itself
     * (docs/security.md).
     *
     * @param ports what is published, at most {@value #MAX_PORTS}
     * @param nameServer an IPv4 address, not the host's own, that the guest asks for names; empty for the first that the host
     *     asks
     */
    record User(List<PublishedPort> ports, Optional<String> nameServer) implements NetworkSpec {
        /** Where every guest with such a network is, on a link of its own. */
        public static final String GUEST_ADDRESS = UserNetwork.ADDRESS;

        private static final int MAX_PORTS = 256;

        /** @throws VmException.Invalid if there are too many ports, one comes twice, or the address is none */
        public User {
            ports = List.copyOf(ports);
            if (ports.size() > MAX_PORTS) {
                throw new VmException.Invalid(
                        ports.size() + " ports cannot be published", "Publish at most " + MAX_PORTS + ".");
            }
            for (int i = 0; i < ports.size(); i++) {
                PublishedPort port = ports.get(i);
                if (port.hostPort() != 0 && ports.subList(0, i).stream().anyMatch(port::collides)) {
                    throw new VmException.Invalid(
                            "The port " + port.hostEnd() + " is published twice", "Choose another port of the host.");
                }
            }
            nameServer.ifPresent(address -> {
                if (!PublishedPort.isAddress(address)) {
                    throw new VmException.Invalid(
                            "'" + Printable.of(address) + "' is no name server",
                            "Give an IPv4 address in numbers, like 9.9.9.9.");
                }
            });
        }

        /** Returns what the guest of a VM with this network is told of it. */
        public GuestNetwork guestNetwork(VmId vm) {
            return UserNetwork.of(vm, this);
        }

        public User withPorts(List<PublishedPort> value) {
            return new User(value, nameServer);
        }

        public User withNameServer(InetAddress value) {
            return new User(ports, Optional.of(value.getHostAddress()));
        }
    }
}
