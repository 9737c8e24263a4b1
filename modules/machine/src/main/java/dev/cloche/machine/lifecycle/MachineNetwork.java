package dev.cloche.machine.lifecycle;

import dev.cloche.base.Printable;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineSettings;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.PublishedPort;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Translates what the file of a machine says of its network for the room of VMs. Pure. */
final class MachineNetwork {
    static final String USER = "user";

    private MachineNetwork() {}

    /**
     * @throws MachineException.Invalid if it says what no network is, or what does not fit together
     * @throws dev.cloche.vm.VmException.Invalid if a port is none, or comes twice
     */
    static NetworkSpec spec(MachineSettings settings) {
        String kind = settings.network();
        if (!kind.equals(MachineSettings.NO_NETWORK) && !kind.equals(USER)) {
            throw new MachineException.Invalid(
                    "\"" + Printable.brief(kind) + "\" is no network of a machine.", "Use none or user.");
        }
        List<PublishedPort> ports = new ArrayList<>();
        settings.publish().forEach(text -> ports.addAll(PublishedPort.parse(text)));
        if (kind.equals(USER)) {
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
