package dev.cloche.machine.lifecycle;

import dev.cloche.machine.MachineSettings;
import dev.cloche.vm.Network;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.PublishedPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Translates what the file of a machine says of its network for the room of VMs. Pure. */
final class MachineNetwork {
    private MachineNetwork() {}

    /** @throws dev.cloche.vm.VmException.Invalid if a port is none, comes twice, or is of UDP without a network */
    static NetworkSpec spec(MachineSettings settings) {
        List<PublishedPort> ports = new ArrayList<>();
        settings.publish().forEach(text -> ports.addAll(PublishedPort.parse(text)));
        return settings.network() == Network.USER
                ? NetworkSpec.user().withPorts(ports)
                : NetworkSpec.none().withPorts(ports);
    }

    /** Returns where its guest is on its link. */
    static Optional<String> address(MachineSettings settings) {
        return spec(settings) instanceof NetworkSpec.User
                ? Optional.of(NetworkSpec.User.GUEST_ADDRESS)
                : Optional.empty();
    }
}
