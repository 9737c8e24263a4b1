package dev.cloche.machine.lifecycle;

import dev.cloche.machine.MachineException;
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

    /**
     * @throws MachineException.Invalid if what it says does not fit together
     * @throws dev.cloche.vm.VmException.Invalid if a port is none, or comes twice
     */
    static NetworkSpec spec(MachineSettings settings) {
        List<PublishedPort> ports = new ArrayList<>();
        settings.publish().forEach(text -> ports.addAll(PublishedPort.parse(text)));
        if (settings.network() == Network.USER) {
            return NetworkSpec.user().withPorts(ports);
        }
        if (!ports.isEmpty()) {
            throw new MachineException.Invalid(
                    "A machine without a network publishes no ports.", "Give it the network user, or publish nothing.");
        }
        return NetworkSpec.none();
    }

    /** Returns where its guest is on its link. */
    static Optional<String> address(MachineSettings settings) {
        return spec(settings) instanceof NetworkSpec.User
                ? Optional.of(NetworkSpec.User.GUEST_ADDRESS)
                : Optional.empty();
    }
}
