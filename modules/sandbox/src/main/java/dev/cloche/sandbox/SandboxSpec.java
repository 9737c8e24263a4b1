package dev.cloche.sandbox;

import dev.cloche.image.PullPolicy;
import dev.cloche.sandbox.record.SandboxLabels;
import dev.cloche.sandbox.record.SandboxName;
import dev.cloche.vm.NetworkSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * Says what to start. Immutable; begin with {@link #of} and narrow with the {@code with…} methods.
 *
 * @param name the sandbox's name and its guest's host name; without one it gets a generated name and is ephemeral
 * @param image reference of the image, as in Docker
 * @param command replaces the image's own command where not empty; the image's entrypoint stays in front
 * @param pullPolicy when to ask the registry
 * @param memoryMib the guest's memory in MiB, {@value #MIN_MEMORY_MIB} to {@value #MAX_MEMORY_MIB}
 * @param cpus the guest's virtual CPUs, 1 to {@value #MAX_CPUS}
 * @param ephemeral whether everything of it goes away when it ends
 * @param diskMib the size of a disk for what its guest writes, {@value #MIN_DISK_MIB} to {@value #MAX_DISK_MIB}; that
 *     of a persistent sandbox lasts as long as the sandbox, that of an ephemeral one as long as its VM. Without one, it
 *     writes to its memory
 * @param policies the limits of its life
 * @param labels what it can be found by: at most 64, keys of at most 128 characters, values of at most 1024
 * @param network what network it has; ports as they are asked for
 * @param secrets what its guest finds in {@code /run/secrets}
 * @param stopSignal by which its main command is asked to end, if that is not the image's choice
 * @param wholeCommand whether the command is all of it, and nothing is taken of the image's entrypoint and command
 * @param defaults environment, working directory and user of all commands in it
 * @param stays whether it runs no main command when it is detached, and goes on until it is stopped
 * @param waitForRoom how long its first start waits where the host's limits leave no room; not kept
 */
public record SandboxSpec(
        Optional<String> name,
        String image,
        List<String> command,
        PullPolicy pullPolicy,
        int memoryMib,
        int cpus,
        boolean ephemeral,
        OptionalInt diskMib,
        SandboxPolicies policies,
        Map<String, String> labels,
        NetworkSpec network,
        Secrets secrets,
        Optional<StopSignal> stopSignal,
        boolean wholeCommand,
        CommandOptions defaults,
        boolean stays,
        Duration waitForRoom) {
    /** The least memory in which a guest boots and a small command runs. */
    public static final int MIN_MEMORY_MIB = 128;

    public static final int MAX_MEMORY_MIB = 1 << 20;
    public static final int DEFAULT_MEMORY_MIB = 512;
    public static final int MAX_CPUS = 64;
    public static final int MIN_DISK_MIB = 64;
    public static final int MAX_DISK_MIB = 1 << 24;
    /** Of a persistent sandbox that is not told otherwise; it takes what is written to it. */
    public static final int DEFAULT_DISK_MIB = 8192;

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
        diskMib.ifPresent(SandboxSpec::checkDisk);
        requireWait(waitForRoom);
        if (diskMib.isEmpty() && !policies.diskThrottle().isNone()) {
            throw noDisk("A sandbox that writes to its memory has");
        }
        if (ephemeral && policies.restart().kind() != RestartPolicy.Kind.NO) {
            throw new SandboxException.InvalidSpecification(
                    "A sandbox that goes away when it ends cannot be started again.",
                    "Give it a name and do not make it ephemeral, or leave out the restart policy.");
        }
    }

    /**
     * Refuses a wait for room that there cannot be.
     *
     * @throws SandboxException.InvalidSpecification if it is negative
     */
    static void requireWait(Duration waitForRoom) {
        if (waitForRoom.isNegative()) {
            throw new SandboxException.InvalidSpecification(
                    "A wait for room of " + waitForRoom + " is out of range.", "Give zero or more.");
        }
    }

    /** Says that there is nothing to limit. */
    public static SandboxException.InvalidSpecification noDisk(String who) {
        return new SandboxException.InvalidSpecification(
                who + " no disk whose use could be limited.",
                "Make it with a disk, or leave the limits of its disk out.");
    }

    private static void checkDisk(int size) {
        if (size < MIN_DISK_MIB || size > MAX_DISK_MIB) {
            throw new SandboxException.InvalidSpecification(
                    "A disk of " + size + " MiB is out of range.",
                    "Give " + MIN_DISK_MIB + " MiB to " + MAX_DISK_MIB / 1024 / 1024 + " TiB.");
        }
    }

    /** Returns an unnamed sandbox with the usual memory, one CPU, and no policies. */
    public static SandboxSpec of(String image) {
        return new SandboxSpec(
                Optional.empty(),
                image,
                List.of(),
                PullPolicy.MISSING,
                DEFAULT_MEMORY_MIB,
                1,
                true,
                OptionalInt.empty(),
                SandboxPolicies.none(),
                Map.of(),
                NetworkSpec.none(),
                Secrets.none(),
                Optional.empty(),
                false,
                CommandOptions.none(),
                false,
                Duration.ZERO);
    }

    private SandboxSpec with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.spec();
    }

    /** Returns the same with a name, and persistent. */
    public SandboxSpec withName(String value) {
        return with(draft -> {
            draft.name = Optional.of(value);
            draft.ephemeral = false;
        });
    }

    public SandboxSpec withCommand(List<String> value) {
        return with(draft -> {
            draft.command = value;
            draft.wholeCommand = false;
        });
    }

    /** Returns the same with a command in place of the image's entrypoint and command. */
    public SandboxSpec withWholeCommand(List<String> value) {
        return with(draft -> {
            draft.command = value;
            draft.wholeCommand = true;
        });
    }

    /** Returns the same with these in place of what the image says of environment, working directory and user. */
    public SandboxSpec withDefaults(CommandOptions value) {
        return with(draft -> draft.defaults = value);
    }

    /**
     * Returns the same, which runs no main command when it is detached.
     *
     * @throws SandboxException.InvalidSpecification if it has a command
     */
    public SandboxSpec staying() {
        if (!command.isEmpty()) {
            throw new SandboxException.InvalidSpecification(
                    "A sandbox that stays until it is stopped runs no main command.",
                    "Leave out the command, or run it once the sandbox has started.");
        }
        return with(draft -> draft.stays = true);
    }

    public SandboxSpec withPullPolicy(PullPolicy value) {
        return with(draft -> draft.pullPolicy = value);
    }

    public SandboxSpec withMemoryMib(int value) {
        return with(draft -> draft.memoryMib = value);
    }

    public SandboxSpec withCpus(int value) {
        return with(draft -> draft.cpus = value);
    }

    public SandboxSpec withEphemeral(boolean value) {
        return with(draft -> draft.ephemeral = value);
    }

    public SandboxSpec withPolicies(SandboxPolicies value) {
        return with(draft -> draft.policies = value);
    }

    public SandboxSpec withLabels(Map<String, String> value) {
        return with(draft -> draft.labels = value);
    }

    /** Returns the same, whose first start waits for room for as long. */
    public SandboxSpec withWaitForRoom(Duration value) {
        return with(draft -> draft.waitForRoom = value);
    }

    /** Returns the same with a disk of this size for what its guest writes. */
    public SandboxSpec withDiskMib(int value) {
        return with(draft -> draft.diskMib = OptionalInt.of(value));
    }

    public SandboxSpec withNetwork(NetworkSpec value) {
        return with(draft -> draft.network = value);
    }

    public SandboxSpec withSecrets(Secrets value) {
        return with(draft -> draft.secrets = value);
    }

    public SandboxSpec withStopSignal(StopSignal value) {
        return with(draft -> draft.stopSignal = Optional.of(value));
    }

    /** Holds a {@link SandboxSpec} that is about to differ from another one. For one thread. */
    private static final class Draft {
        private final String image;
        Optional<String> name;
        List<String> command;
        PullPolicy pullPolicy;
        int memoryMib;
        int cpus;
        boolean ephemeral;
        OptionalInt diskMib;
        SandboxPolicies policies;
        Map<String, String> labels;
        NetworkSpec network;
        Secrets secrets;
        Optional<StopSignal> stopSignal;
        boolean wholeCommand;
        CommandOptions defaults;
        boolean stays;
        Duration waitForRoom;

        Draft(SandboxSpec from) {
            name = from.name();
            image = from.image();
            command = from.command();
            pullPolicy = from.pullPolicy();
            memoryMib = from.memoryMib();
            cpus = from.cpus();
            ephemeral = from.ephemeral();
            diskMib = from.diskMib();
            policies = from.policies();
            labels = from.labels();
            network = from.network();
            secrets = from.secrets();
            stopSignal = from.stopSignal();
            wholeCommand = from.wholeCommand();
            defaults = from.defaults();
            stays = from.stays();
            waitForRoom = from.waitForRoom();
        }

        SandboxSpec spec() {
            return new SandboxSpec(
                    name,
                    image,
                    command,
                    pullPolicy,
                    memoryMib,
                    cpus,
                    ephemeral,
                    diskMib,
                    policies,
                    labels,
                    network,
                    secrets,
                    stopSignal,
                    wholeCommand,
                    defaults,
                    stays,
                    waitForRoom);
        }
    }
}
