package dev.cloche;

import dev.cloche.base.ClocheException;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.RunningMachine;
import dev.cloche.sandbox.RunningSandbox;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.vm.PublishedPort;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The ports of this host that lead to a sandbox or a machine. Immutable.
 *
 * <pre>{@code
 * try (Sandbox web = cloche.sandbox("nginx").publish(80).start()) {
 *     URI address = web.ports().of(80).uri("http");
 * }
 * }</pre>
 */
public final class PublishedPorts {
    private final List<PublishedPort> all;
    private final IntFunction<ClocheException> unpublished;

    private PublishedPorts(List<PublishedPort> all, IntFunction<ClocheException> unpublished) {
        this.all = List.copyOf(all);
        this.unpublished = unpublished;
    }

    static PublishedPorts of(RunningSandbox sandbox) {
        return new PublishedPorts(
                sandbox.publishedPorts(),
                port -> new SandboxException.InvalidSpecification(
                        "Port " + port + " of the sandbox \"" + sandbox.name() + "\" is not published on this host.",
                        "Publish it when the sandbox is started, which gives it the network \"user\"."));
    }

    static PublishedPorts of(RunningMachine machine) {
        return new PublishedPorts(
                machine.publishedPorts(),
                port -> new MachineException.Invalid(
                        "Port " + port + " of the machine \"" + machine.name() + "\" is not published on this host.",
                        "Publish it when the machine is made, or with MachineChange.publish, from its next start."));
    }

    /** Returns all, in the order in which they were published. */
    public List<PublishedPort> list() {
        return all;
    }

    /**
     * Returns where a TCP port of the guest is published; the first place, if there are several.
     *
     * @param guestPort 1 to 65,535, in the guest
     * @throws dev.cloche.base.ClocheException if it is not published
     */
    public PublishedPort of(int guestPort) {
        return all.stream()
                .filter(port -> port.guestPort() == guestPort && port.protocol() == PublishedPort.Protocol.TCP)
                .findFirst()
                .orElseThrow(() -> unpublished.apply(guestPort));
    }
}
