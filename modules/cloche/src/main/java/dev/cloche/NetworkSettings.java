package dev.cloche;

import dev.cloche.sandbox.SandboxException;
import dev.cloche.vm.Network;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.PublishedPort;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a builder was told of a network. Not safe for use from several threads. */
final class NetworkSettings {
    private Optional<Network> network = Optional.empty();
    private final List<PublishedPort> ports = new ArrayList<>();
    private Optional<InetAddress> nameServer = Optional.empty();

    void network(Network value) {
        network = Optional.of(value);
    }

    /** On any free port of {@value PublishedPort#LOOPBACK}. */
    void publish(int guestPort) {
        ports.add(anyFor(guestPort));
    }

    static PublishedPort anyFor(int guestPort) {
        return new PublishedPort(PublishedPort.Protocol.TCP, PublishedPort.LOOPBACK, 0, guestPort);
    }

    void publish(String port) {
        ports.addAll(PublishedPort.parse(port));
    }

    void nameServer(InetAddress address) {
        nameServer = Optional.of(address);
    }

    /** Returns whether nothing of it is one sandbox's own. */
    boolean isShared() {
        return ports.isEmpty() && nameServer.isEmpty();
    }

    /** @throws SandboxException.InvalidSpecification if something was asked for that the network does not have */
    NetworkSpec spec() {
        if (network.filter(Network.NONE::equals).isPresent() && nameServer.isPresent()) {
            throw new SandboxException.InvalidSpecification(
                    "A sandbox without a network has no name server.",
                    "Leave out the network NONE, or the name server.");
        }
        if (network.orElse(nameServer.isPresent() ? Network.USER : Network.NONE) == Network.NONE) {
            return NetworkSpec.none().withPorts(ports);
        }
        NetworkSpec.User user = NetworkSpec.user().withPorts(ports);
        return nameServer.isPresent() ? user.withNameServer(nameServer.get()) : user;
    }
}
