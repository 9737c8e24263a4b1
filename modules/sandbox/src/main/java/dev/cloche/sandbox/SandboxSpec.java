package dev.cloche.sandbox;

import dev.cloche.image.PullPolicy;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What to start. Immutable; begin with {@link #of} and narrow with the {@code with…} methods.
 *
 * @param name the sandbox's name and its guest's host name; without one it gets a generated name and is ephemeral
 * @param image reference of the image, as in Docker
 * @param command replaces the image's own command where not empty; the image's entrypoint stays in front
 * @param pullPolicy when to ask the registry
 * @param memoryMib the guest's memory in MiB, {@value #MIN_MEMORY_MIB} to {@value #MAX_MEMORY_MIB}
 * @param cpus the guest's virtual CPUs, 1 to {@value #MAX_CPUS}
 * @param ephemeral whether everything of it goes away when it ends
 * @param policies the limits of its life
 * @param labels what it can be found by: at most 64, keys of at most 128 characters, values of at most 1024
 */
public record SandboxSpec(
        Optional<String> name,
        String image,
        List<String> command,
        PullPolicy pullPolicy,
        int memoryMib,
        int cpus,
        boolean ephemeral,
        SandboxPolicies policies,
        Map<String, String> labels) {
    /** The least memory in which a guest boots and a small command runs. */
    public static final int MIN_MEMORY_MIB = 128;

    public static final int MAX_MEMORY_MIB = 1 << 20;
    public static final int DEFAULT_MEMORY_MIB = 512;
    public static final int MAX_CPUS = 64;

    public SandboxSpec {
        name.ifPresent(SandboxName::validated);
        command = List.copyOf(command);
        labels = SandboxLabels.validated(labels);
        ephemeral = ephemeral || name.isEmpty();
        if (memoryMib < MIN_MEMORY_MIB || memoryMib > MAX_MEMORY_MIB) {
            throw new SandboxException.InvalidSpecification(
                    "A memory of " + memoryMib + " MiB is out of range.",
                    "Give " + MIN_MEMORY_MIB + " MiB to " + MAX_MEMORY_MIB / 1024 + " GiB.");
        }
        if (cpus < 1 || cpus > MAX_CPUS) {
            throw new SandboxException.InvalidSpecification(
                    cpus + " CPUs are out of range.", "Give 1 to " + MAX_CPUS + ".");
        }
        if (ephemeral && policies.restart().kind() != RestartPolicy.Kind.NO) {
            throw new SandboxException.InvalidSpecification(
                    "A sandbox that goes away when it ends cannot be started again.",
                    "Give it a name and leave out --rm, or leave out the restart policy.");
        }
    }

    /** An unnamed sandbox with the usual memory, one CPU, and no policies. */
    public static SandboxSpec of(String image) {
        return new SandboxSpec(
                Optional.empty(),
                image,
                List.of(),
                PullPolicy.MISSING,
                DEFAULT_MEMORY_MIB,
                1,
                true,
                SandboxPolicies.none(),
                Map.of());
    }

    /** The same with a name, and persistent. */
    public SandboxSpec withName(String value) {
        return new SandboxSpec(
                Optional.of(value), image, command, pullPolicy, memoryMib, cpus, false, policies, labels);
    }

    public SandboxSpec withCommand(List<String> value) {
        return new SandboxSpec(name, image, value, pullPolicy, memoryMib, cpus, ephemeral, policies, labels);
    }

    public SandboxSpec withPullPolicy(PullPolicy value) {
        return new SandboxSpec(name, image, command, value, memoryMib, cpus, ephemeral, policies, labels);
    }

    public SandboxSpec withMemoryMib(int value) {
        return new SandboxSpec(name, image, command, pullPolicy, value, cpus, ephemeral, policies, labels);
    }

    public SandboxSpec withCpus(int value) {
        return new SandboxSpec(name, image, command, pullPolicy, memoryMib, value, ephemeral, policies, labels);
    }

    public SandboxSpec withEphemeral(boolean value) {
        return new SandboxSpec(name, image, command, pullPolicy, memoryMib, cpus, value, policies, labels);
    }

    public SandboxSpec withPolicies(SandboxPolicies value) {
        return new SandboxSpec(name, image, command, pullPolicy, memoryMib, cpus, ephemeral, value, labels);
    }

    public SandboxSpec withLabels(Map<String, String> value) {
        return new SandboxSpec(name, image, command, pullPolicy, memoryMib, cpus, ephemeral, policies, value);
    }
}
