package dev.cloche.sandbox;

import dev.cloche.vm.PublishedPort;
import java.util.List;
import java.util.Optional;

/**
 * What is to be said of a sandbox that begins with a snapshot; all else is the snapshot's.
 *
 * @param name its name and its guest's host name; without one it gets a generated name and is ephemeral
 * @param ephemeral whether everything of it goes away when it ends
 * @param keepsRunning whether what ran in the original runs on in it; otherwise that is killed before anybody has it
 * @param detached whether it outlives this process
 * @param ports published of it; those of the original are not
 */
public record ChildSpec(
        Optional<String> name, boolean ephemeral, boolean keepsRunning, boolean detached, List<PublishedPort> ports) {
    /** @throws SandboxException.InvalidSpecification if the name breaks the rule */
    public ChildSpec {
        name.ifPresent(SandboxName::validated);
        ephemeral = ephemeral || name.isEmpty();
        ports = List.copyOf(ports);
    }

    /** Without a name, attached to this process, and with nothing running. */
    public static ChildSpec unnamed() {
        return new ChildSpec(Optional.empty(), true, false, false, List.of());
    }

    /** The same with a name, and persistent. */
    public ChildSpec withName(String value) {
        return new ChildSpec(Optional.of(value), false, keepsRunning, detached, ports);
    }

    public ChildSpec withEphemeral(boolean value) {
        return new ChildSpec(name, value, keepsRunning, detached, ports);
    }

    public ChildSpec withRunning(boolean value) {
        return new ChildSpec(name, ephemeral, value, detached, ports);
    }

    public ChildSpec withDetached(boolean value) {
        return new ChildSpec(name, ephemeral, keepsRunning, value, ports);
    }

    public ChildSpec withPorts(List<PublishedPort> value) {
        return new ChildSpec(name, ephemeral, keepsRunning, detached, value);
    }
}
