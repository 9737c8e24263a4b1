package dev.cloche.sandbox;

import dev.cloche.image.PullPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What to start.
 *
 * @param name the sandbox's name and its guest's host name; without one it gets a generated name and is ephemeral
 * @param image reference of the image, as in Docker
 * @param command replaces the image's own command where not empty; the image's entrypoint stays in front
 * @param pullPolicy when to ask the registry
 * @param memoryMib the guest's memory in MiB, {@value #MIN_MEMORY_MIB} to {@value #MAX_MEMORY_MIB}
 * @param cpus the guest's virtual CPUs, 1 to {@value #MAX_CPUS}
 * @param ephemeral whether everything of it goes away when it ends
 * @param maxDuration after which the VM is ended, whoever is alive; positive
 */
public record SandboxSpec(
        Optional<String> name,
        String image,
        List<String> command,
        PullPolicy pullPolicy,
        int memoryMib,
        int cpus,
        boolean ephemeral,
        Optional<Duration> maxDuration) {
    /** The least memory in which a guest boots and a small command runs. */
    public static final int MIN_MEMORY_MIB = 128;

    public static final int MAX_MEMORY_MIB = 1 << 20;
    public static final int DEFAULT_MEMORY_MIB = 512;
    public static final int MAX_CPUS = 64;
    private static final Duration LONGEST = Duration.ofDays(365);

    public SandboxSpec {
        name.ifPresent(SandboxName::validated);
        command = List.copyOf(command);
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
        maxDuration.ifPresent(SandboxSpec::checkDuration);
    }

    private static void checkDuration(Duration duration) {
        if (!duration.isPositive() || duration.compareTo(LONGEST) > 0) {
            throw new SandboxException.InvalidSpecification(
                    "A longest duration of " + duration + " is out of range.",
                    "Give more than zero and at most " + LONGEST.toDays() + " days.");
        }
    }
}
