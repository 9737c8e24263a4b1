package dev.cloche.sandbox;

import dev.cloche.sandbox.record.SandboxName;
import dev.cloche.vm.PublishedPort;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Specifies a sandbox that begins with a snapshot; what is not said here is as in the snapshot.
 *
 * @param name its name and its guest's host name; without one it gets a generated name and is ephemeral
 * @param ephemeral whether everything of it goes away when it ends
 * @param keepsRunning whether what ran in the original runs on in it; otherwise that is killed before the caller has
 *     the sandbox
 * @param detached whether it outlives this process
 * @param ports published of it; those of the original are not
 * @param secrets that it has; without any said, those that were in the memory of the original
 * @param waitForRoom how long its first start waits where the host's limits leave no room; not negative
 */
public record ChildSpec(
        Optional<String> name,
        boolean ephemeral,
        boolean keepsRunning,
        boolean detached,
        List<PublishedPort> ports,
        Optional<Secrets> secrets,
        Duration waitForRoom) {
    /**
     * Validates it.
     *
     * @throws SandboxException.InvalidSpecification if the name breaks the rule, or the wait is negative
     */
    public ChildSpec {
        name.ifPresent(SandboxName::validated);
        ephemeral = ephemeral || name.isEmpty();
        ports = List.copyOf(ports);
        SandboxSpec.requireWait(waitForRoom);
    }

    /** Returns one without a name, attached to this process, with nothing running and without secrets. */
    public static ChildSpec unnamed() {
        return new ChildSpec(
                Optional.empty(), true, false, false, List.of(), Optional.of(Secrets.none()), Duration.ZERO);
    }

    /** Returns the same with a name, and persistent. */
    public ChildSpec withName(String value) {
        return new ChildSpec(Optional.of(value), false, keepsRunning, detached, ports, secrets, waitForRoom);
    }

    public ChildSpec withEphemeral(boolean value) {
        return new ChildSpec(name, value, keepsRunning, detached, ports, secrets, waitForRoom);
    }

    public ChildSpec withRunning(boolean value) {
        return new ChildSpec(name, ephemeral, value, detached, ports, secrets, waitForRoom);
    }

    public ChildSpec withDetached(boolean value) {
        return new ChildSpec(name, ephemeral, keepsRunning, value, ports, secrets, waitForRoom);
    }

    public ChildSpec withPorts(List<PublishedPort> value) {
        return new ChildSpec(name, ephemeral, keepsRunning, detached, value, secrets, waitForRoom);
    }

    /** Returns one whose first start waits so long for room. */
    public ChildSpec withWaitForRoom(Duration value) {
        return new ChildSpec(name, ephemeral, keepsRunning, detached, ports, secrets, value);
    }

    /**
     * Returns one with these secrets and no others, or with those that the original has in its memory; one that boots
     * has none of them.
     *
     * @throws SandboxException.InvalidSpecification if it were both
     */
    public ChildSpec withSecrets(Secrets own, boolean originals) {
        if (originals && !own.isEmpty()) {
            throw new SandboxException.InvalidSpecification(
                    "A child cannot have secrets of its own and keep its original's.",
                    "Give it all that it is to have, or keep the original's only.");
        }
        return new ChildSpec(
                name,
                ephemeral,
                keepsRunning,
                detached,
                ports,
                originals ? Optional.empty() : Optional.of(own),
                waitForRoom);
    }
}
