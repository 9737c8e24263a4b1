package dev.cloche.vm;

import dev.cloche.base.Printable;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/** Says what network a VM has. Immutable. */
public sealed interface NetworkSpec {
    /** Returns none: the guest has no network device at all. */
    static None none() {
        return new None(List.of());
    }

    /** Returns the network of the user who runs Cloche, but for the host itself; with nothing published. */
    static User user() {
        return new User(List.of(), Optional.empty());
    }

    /** Returns what the VM itself is started with: ports that lead through the guest channel are published once it runs. */
    NetworkSpec device();

    /** Returns the ports that lead through the guest channel, as they were asked for. */
    List<PublishedPort> channelPorts();

    /**
     * No device.
     *
     * @param ports what is published of TCP, at most {@value #MAX_PORTS}: it leads through the guest channel
     */
    record None(List<PublishedPort> ports) implements NetworkSpec {
        private static final int MAX_PORTS = 64;

        /** @throws VmException.Invalid if there are too many ports, one comes twice, or is of UDP */
        public None {
            ports = PublishedPort.distinct(ports, MAX_PORTS);
            if (ports.stream().anyMatch(port -> port.protocol() == PublishedPort.Protocol.UDP)) {
                throw new VmException.Invalid(
                        "A port of UDP needs a network", "Give it the network user, or publish ports of TCP alone.");
            }
        }

        public None withPorts(List<PublishedPort> value) {
            return new None(value);
        }

        @Override
        public NetworkSpec device() {
            return none();
        }

        @Override
        public List<PublishedPort> channelPorts() {
            return ports;
        }
    }

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
            ports = PublishedPort.distinct(ports, MAX_PORTS);
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

        @Override
        public NetworkSpec device() {
            return this;
        }

        @Override
        public List<PublishedPort> channelPorts() {
            return List.of();
        }

        public User withPorts(List<PublishedPort> value) {
            return new User(value, nameServer);
        }

        public User withNameServer(InetAddress value) {
            return new User(ports, Optional.of(value.getHostAddress()));
        }
    }
}
