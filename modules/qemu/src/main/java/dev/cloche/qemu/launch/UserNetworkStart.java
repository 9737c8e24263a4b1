package dev.cloche.qemu.launch;

import dev.cloche.qemu.guard.NetworkRecord;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.RunningVm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/** Starts a VM with ports of the host that are free, and says which port is to blame where it fails. */
public final class UserNetworkStart {
    /** Another program may take a port just when it was found to be free. */
    private static final int ATTEMPTS = 3;

    private final Path passt;
    private final NetworkSpec.User network;
    private final Path directory;

    public UserNetworkStart(Path passt, NetworkSpec.User network, Path directory) {
        this.passt = passt;
        this.network = network;
        this.directory = directory;
    }

    /**
     * Starts it.
     *
     * @param start with this command line of passt
     * @throws VmException.PortUnavailable if a port cannot be had
     * @throws VmException.NetworkFailed if it fails for another reason
     */
    public RunningVm with(Function<List<String>, RunningVm> start) throws IOException {
        for (int attempt = 1; ; attempt++) {
            List<PublishedPort> ports = HostPorts.chosen(network.ports());
            NetworkRecord.write(directory, ports);
            try {
                return start.apply(PasstCommand.of(passt, ports));
            } catch (VmException.NetworkFailed e) {
                VmException.PortUnavailable problem = HostPorts.problem(ports).orElseThrow(() -> e);
                boolean asked = network.ports().contains(problem.port());
                if (asked || attempt == ATTEMPTS) {
                    problem.addSuppressed(e);
                    throw problem;
                }
            }
        }
    }
}
