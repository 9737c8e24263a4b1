package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.base.Incubating;
import dev.cloche.image.Digest;
import dev.cloche.image.PullListener;
import dev.cloche.image.PullPolicy;
import dev.cloche.sandbox.CommandOptions;
import dev.cloche.sandbox.RestartPolicy;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxPolicies;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxSpec;
import dev.cloche.sandbox.Secrets;
import dev.cloche.sandbox.StopSignal;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.Network;
import dev.cloche.vm.NetworkSpec;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox that is about to be started. Not safe for use from several threads.
 *
 * <pre>{@code
 * try (Sandbox sandbox = cloche.sandbox("python:3.13").memoryMib(1024).cpus(2).start()) {
 *     sandbox.exec("python3", "--version");
 * }
 * }</pre>
 */
public final class SandboxBuilder {
    private final Cloche cloche;
    private final String image;
    private @Nullable String name;
    private List<String> command = List.of();
    private @Nullable List<String> entrypoint;
    private boolean ephemeral;
    private boolean replaces;
    private Optional<StopSignal> stopSignal = Optional.empty();
    private int memoryMib = SandboxSpec.DEFAULT_MEMORY_MIB;
    private int cpus = 1;
    private @Nullable Integer diskMib;
    private SandboxPolicies policies = SandboxPolicies.none();
    private final Map<String, String> labels = new HashMap<>();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private Optional<String> workingDirectory = Optional.empty();
    private Optional<String> user = Optional.empty();
    private final NetworkSettings network = new NetworkSettings();
    private Secrets secrets = Secrets.none();
    private PullPolicy pull = PullPolicy.MISSING;
    private Duration waitForRoom = Duration.ZERO;
    private PullListener progress = PullListener.none();

    SandboxBuilder(Cloche cloche, String image) {
        this.cloche = cloche;
        this.image = image;
    }

    /**
     * Names the sandbox, and its guest: 1 to 63 of {@code a-z}, {@code 0-9} and {@code -}, which is neither first nor last.
     * One without a name gets a generated name and is ephemeral.
     */
    public SandboxBuilder name(String value) {
        name = value;
        return this;
    }

    /**
     * Sets whether a sandbox of the same name that does not run is removed first, with its disk, its memory if it is suspended,
     * and its record. So is what a program has left that was killed, even if that was just now and its VM is still ending. Any
     * other one that runs keeps its name, and the start fails.
     *
     * <pre>{@code
     * try (Sandbox test = cloche.sandbox("debian").name("test").replace(true).start()) {
     *     test.exec("make", "test");
     * }
     * }</pre>
     */
    public SandboxBuilder replace(boolean value) {
        replaces = value;
        return this;
    }

    /** Sets whether its record is removed when it ends. */
    public SandboxBuilder ephemeral(boolean value) {
        ephemeral = value;
        return this;
    }

    /**
     * Sets what the sandbox is for.
     *
     * @param words replace the image's own command where not empty; the image's entrypoint stays in front
     */
    public SandboxBuilder command(String... words) {
        command = List.of(words);
        return this;
    }

    /**
     * Sets the signal by which its main command is asked to end, in place of the image's choice: a name such as {@code
     * SIGQUIT}, {@code quit} or {@code SIGRTMIN+3}, or a number from 1 to 64. By another than SIGTERM only that command is
     * asked, which ends what it has started; by SIGTERM every process of the guest is.
     *
     * @throws dev.cloche.base.ClocheException if there is no such signal
     */
    public SandboxBuilder stopSignal(String signal) {
        stopSignal = Optional.of(StopSignal.parse(signal));
        return this;
    }

    /**
     * Sets what the command's words are given to, in place of the image's entrypoint. The image's own command is left out then,
     * as with Docker.
     *
     * @param words none for no entrypoint: the command's words are all
     */
    public SandboxBuilder entrypoint(String... words) {
        entrypoint = List.of(words);
        return this;
    }

    /**
     * Sets an environment variable of all commands in the sandbox, replacing the image's of the same name. It is recorded with
     * the sandbox, so it holds for every start of it, for commands of other processes, and for its forks; {@link #secret} is
     * for what may not be recorded.
     *
     * <pre>{@code
     * cloche.sandbox("python:3.13").environment("LANG", "C.UTF-8").user("www-data").workingDirectory("/work").start();
     * }</pre>
     *
     * @param variable its name, without {@code =} or NUL; looked at when the sandbox is started
     */
    public SandboxBuilder environment(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    /** Sets the absolute path in the guest where all commands start that say nothing else; made if it is missing. */
    public SandboxBuilder workingDirectory(String directory) {
        workingDirectory = Optional.of(directory);
        return this;
    }

    /**
     * Sets who runs all commands that say nothing else: {@code name}, {@code uid}, {@code name:group} or {@code uid:gid}, as
     * the image's files say.
     */
    public SandboxBuilder user(String nameOrId) {
        user = Optional.of(nameOrId);
        return this;
    }

    /** Sets the guest's memory in MiB: 128 to 1,048,576, by default 512. */
    public SandboxBuilder memoryMib(int mebibytes) {
        memoryMib = mebibytes;
        return this;
    }

    /**
     * Sends what the guest writes to a disk of so many MiB, 64 to 16,777,216, which takes no more of the host than is written
     * to it; 0 for the guest's memory. By default a sandbox that is not ephemeral has 8192, which last until it is removed, and
     * an ephemeral one writes to its memory.
     */
    public SandboxBuilder diskMib(int mebibytes) {
        diskMib = mebibytes;
        return this;
    }

    /**
     * Limits the requests, reads and writes together, that the guest may make of its disk in a second, small and large ones alike. It needs a
     * disk: an ephemeral sandbox has one only where {@link #diskMib} says so. The image is read without a limit. Forks and what is
     * restored from snapshots begin with the same; {@link Sandboxes#limitDisk} changes it, also while the sandbox runs.
     *
     * <pre>{@code
     * cloche.sandbox("debian").name("build").diskIops(500).diskBytesPerSecond(20 << 20).detached().create();
     * }</pre>
     *
     * @param requestsPerSecond 10 to 1,000,000; a tenth of it may come in one go
     * @throws dev.cloche.base.ClocheException if it is out of range
     */
    @Incubating
    public SandboxBuilder diskIops(int requestsPerSecond) {
        policies = policies.withDiskThrottle(policies.diskThrottle().withIops(requestsPerSecond));
        return this;
    }

    /**
     * Limits the bytes, read and written together, that the guest may ask of its disk in a second, as {@link #diskIops} limits the
     * requests. Both may be set.
     *
     * @param bytesPerSecond 64 KiB to 1 TiB; a tenth of it may come in one go
     * @throws dev.cloche.base.ClocheException if it is out of range
     */
    @Incubating
    public SandboxBuilder diskBytesPerSecond(long bytesPerSecond) {
        policies = policies.withDiskThrottle(policies.diskThrottle().withBytesPerSecond(bytesPerSecond));
        return this;
    }

    /** Sets the guest's virtual CPUs: 1 to 64 and not more than the host has, by default 1. */
    public SandboxBuilder cpus(int count) {
        cpus = count;
        return this;
    }

    /** Ends the VM after this time, up to 365 days, also if this process is dead by then. Without it, never. */
    public SandboxBuilder maxDuration(Duration longest) {
        policies = policies.withMaxDuration(longest);
        return this;
    }

    /**
     * Says what is done at its deadline and when it is idle; without this it is ended. {@code SUSPEND} is done by the process that
     * owns it: this one, or for a detached sandbox one that keeps sandboxes. Without an owner its guard halts it at its deadline,
     * and the next process that keeps or maintains sandboxes suspends it; after a day it is ended.
     *
     * <pre>{@code
     * cloche.sandbox("debian").maxDuration(Duration.ofHours(1)).onDeadline(OnDeadline.SUSPEND).start();
     * }</pre>
     */
    @Incubating
    public SandboxBuilder onDeadline(SandboxPolicies.OnDeadline what) {
        policies = policies.withOnDeadline(what);
        return this;
    }

    /** Adds a label, by which the sandbox can be found: a key of up to 128 characters, a value of up to 1024. */
    public SandboxBuilder label(String key, String value) {
        labels.put(key, value);
        return this;
    }

    /**
     * Adds a secret, which only root of the guest may read, as the file {@code /run/secrets/NAME} in its memory. It is in no
     * record, log or message. Of a sandbox that can be started again it is kept for that in its directory, in a file of mode
     * 0600, until the sandbox is removed; of an ephemeral one that is started nowhere on this host.
     *
     * @param name 1 to 64 letters, digits, dots, hyphens and underscores, the first of which is no dot
     * @param value at most 64 KiB; all of a sandbox are at most 256 and below 1 MiB
     * @throws dev.cloche.base.ClocheException if a name or a size is out of range
     */
    public SandboxBuilder secret(String name, byte[] value) {
        secrets = secrets.with(name, value);
        return this;
    }

    /** Adds a secret that is a text, as UTF-8. */
    public SandboxBuilder secret(String name, String value) {
        secrets = secrets.with(name, value);
        return this;
    }

    /** Sets what network the sandbox has; by default none, or {@link Network#USER} if a {@link #nameServer} is named. */
    public SandboxBuilder network(Network value) {
        network.network(value);
        return this;
    }

    /**
     * Publishes a TCP port of the sandbox on any free port of 127.0.0.1, which {@link Sandbox#ports} tells, for as long as it
     * runs. It needs no network: the port leads through the channel on which Cloche speaks with the guest, or through the network
     * {@link Network#USER} of a sandbox that has it. Without this, {@link Sandbox#ports} leads to any port as long as a handle is
     * open.
     *
     * @param guestPort 1 to 65,535, in the guest
     * @throws dev.cloche.base.ClocheException if there is no such port
     */
    public SandboxBuilder publish(int guestPort) {
        network.publish(guestPort);
        return this;
    }

    /**
     * Publishes a port, or a range, of the sandbox on this host: {@code [ADDRESS:][HOST:]GUEST[/udp]} as in Docker, but on
     * 127.0.0.1 where no address is given. Without HOST, or with 0, any free port, which {@link Sandbox#ports} tells. UDP needs
     * the network {@link Network#USER}.
     *
     * @throws dev.cloche.base.ClocheException if it is not of that form
     */
    public SandboxBuilder publish(String port) {
        network.publish(port);
        return this;
    }

    /** Sets whom the sandbox asks for names, by IPv4 and outside this host; by default whom this host asks first. */
    public SandboxBuilder nameServer(InetAddress address) {
        network.nameServer(address);
        return this;
    }

    /**
     * Stops it when it was idle for so long, up to 365 days: no process of this host waited for a command in it or moved
     * files, and no connection came to a published port. A main command that was detached does not count. Its owner sees to it;
     * a detached sandbox has one while a process runs that has called {@link Cloche#adopt()}.
     */
    public SandboxBuilder idleTimeout(Duration longest) {
        policies = policies.withIdleTimeout(longest);
        return this;
    }

    /** Sets what a start may take, with the fetching of its image; by default 30 minutes. */
    public SandboxBuilder startTimeout(Duration longest) {
        policies = policies.withStartTimeout(longest);
        return this;
    }

    /** Sets whether a detached sandbox is started again when it has ended by itself; it needs a name. */
    public SandboxBuilder restart(RestartPolicy policy) {
        policies = policies.withRestart(policy);
        return this;
    }

    /**
     * Sets the least of walls around the program that runs it. It starts behind these or better, at each start, or not at all;
     * its forks too. It raises what {@code CLOCHE_ISOLATION} and {@code config.toml} ask for; of lower levels theirs holds.
     *
     * <pre>{@code
     * cloche.sandbox("debian").isolation(Isolation.SEALED).start();
     * }</pre>
     */
    public SandboxBuilder isolation(Isolation least) {
        policies = policies.withIsolation(least);
        return this;
    }

    /** Sets how many runs are kept, with their logs: 1 to 1000, by default 5. */
    public SandboxBuilder keptRuns(int count) {
        policies = policies.withKeptRuns(count);
        return this;
    }

    /**
     * Sets how long a start waits where the limits of this host ({@code [limits]} in {@code config.toml}) leave no room for it. Those
     * that wait get room in their order. By default it does not wait, and is refused with {@code limits.no-room}; what could
     * never have room is refused in any case.
     *
     * <pre>{@code
     * cloche.sandbox("debian").waitForRoom(Duration.ofMinutes(1)).start();
     * }</pre>
     *
     * @param longest zero or more; the time that a start may take ends it too
     */
    @Incubating
    public SandboxBuilder waitForRoom(Duration longest) {
        waitForRoom = longest;
        return this;
    }

    /** Sets when the registry is asked; by default only if the image is not on this host. */
    public SandboxBuilder pull(PullPolicy policy) {
        pull = policy;
        return this;
    }

    /** Sets who is told how far a pull is. */
    public SandboxBuilder progress(PullListener listener) {
        progress = listener;
        return this;
    }

    /**
     * Starts the sandbox and returns when its guest answers. It ends when the handle is closed, or this process ends.
     *
     * @throws dev.cloche.base.ClocheException if the image is not to be had, a value is out of range, the name is in use
     *     or this host cannot run VMs; nothing is left behind
     */
    public Sandbox start() {
        SandboxSpec spec = spec();
        return new Sandbox(cloche, named(() -> cloche.sandboxRoom().start(spec, progress, Deadline.none())));
    }

    /** Makes it a sandbox that outlives this process, and ends with its main command. */
    public DetachedCommand detached() {
        return new DetachedCommand(this);
    }

    /** Returns what a template of it has: nothing that only one sandbox can have. */
    SandboxSpec templateSpec() {
        boolean linked = network.spec() instanceof NetworkSpec.User;
        SandboxSpec spec = SandboxSpec.of(cloche.exactImage(image))
                .withNetwork(linked ? NetworkSpec.user() : NetworkSpec.none())
                .withMemoryMib(memoryMib)
                .withCpus(cpus);
        return diskMib == null || diskMib == 0 ? spec : spec.withDiskMib(diskMib);
    }

    /** Returns whether a sandbox of a prepared template can be all that this one is to be. */
    boolean canBeTemplates() {
        return name == null
                && command.isEmpty()
                && entrypoint == null
                && labels.isEmpty()
                && workingDirectory.isEmpty()
                && user.isEmpty()
                && stopSignal.isEmpty()
                && pull == PullPolicy.MISSING
                && policies.equals(SandboxPolicies.none())
                && network.isShared();
    }

    /**
     * Returns a template with its size, network and environment to prepare.
     *
     * @param name of all such templates; to it is added what tells them apart
     * @param contents what they differ in besides
     */
    Templates.Preparation preparation(String name, List<String> contents) {
        int disk = diskMib == null ? 0 : diskMib;
        Network linked = network.spec() instanceof NetworkSpec.User ? Network.USER : Network.NONE;
        List<Object> all =
                List.of(cloche.exactImage(image), memoryMib, cpus, disk, linked, new TreeMap<>(environment), contents);
        String digest =
                Digest.of(all.toString().getBytes(StandardCharsets.UTF_8)).hex();
        Templates.Preparation preparation = cloche.templates()
                .prepare(name + "-" + digest.substring(0, 16), image)
                .memoryMib(memoryMib)
                .cpus(cpus)
                .diskMib(disk)
                .network(linked)
                .progress(progress);
        environment.forEach(preparation::environment);
        return preparation;
    }

    /** Returns a sandbox of a template, with what each has of its own. */
    RestoreBuilder restored(String template) {
        RestoreBuilder restored = cloche.restore(template).waitForRoom(waitForRoom);
        secrets.forEach(restored::secret);
        return restored;
    }

    PullListener pullListener() {
        return progress;
    }

    SandboxInfo startDetached(CommandOptions options, boolean stays) {
        SandboxSpec spec = detachedSpec(options, stays);
        return info(named(() -> cloche.sandboxRoom().startDetached(spec, options, progress, Deadline.none())));
    }

    SandboxInfo create(CommandOptions options, boolean stays) {
        SandboxSpec spec = detachedSpec(options, stays);
        return info(named(() -> cloche.sandboxRoom().create(spec, options, progress, Deadline.none())));
    }

    Sandbox connectOrStart(CommandOptions options, boolean stays) {
        if (name == null) {
            throw new SandboxException.InvalidSpecification(
                    "A sandbox without a name is a new one at every start.", "Give it a name.");
        }
        return new NamedStart(cloche, name)
                .connectOrStart(detachedSpec(options, stays), options, progress, policies.startTimeout());
    }

    private SandboxSpec detachedSpec(CommandOptions options, boolean stays) {
        if (stays && !options.equals(CommandOptions.none())) {
            throw new SandboxException.InvalidSpecification(
                    "A sandbox that stays until it is stopped runs no main command.",
                    "Say what holds for its commands to the builder of the sandbox.");
        }
        return stays ? spec().staying() : spec();
    }

    private <T> T named(Supplier<T> start) {
        return replaces && name != null ? cloche.sandboxRoom().replacing(name, start) : start.get();
    }

    private SandboxInfo info(SandboxRecord sandbox) {
        return SandboxInfo.of(sandbox, cloche.sandboxRoom());
    }

    private SandboxSpec spec() {
        SandboxSpec spec = SandboxSpec.of(cloche.exactImage(image))
                .withNetwork(network.spec())
                .withPullPolicy(pull)
                .withMemoryMib(memoryMib)
                .withCpus(cpus)
                .withLabels(labels)
                .withWaitForRoom(waitForRoom)
                .withSecrets(secrets)
                .withDefaults(new CommandOptions(environment, workingDirectory, user, false));
        SandboxSpec commanded = entrypoint == null
                ? spec.withCommand(command)
                : spec.withWholeCommand(
                        Stream.concat(entrypoint.stream(), command.stream()).toList());
        SandboxSpec named = name == null ? commanded : commanded.withName(name).withEphemeral(ephemeral);
        int disk = diskMib != null ? diskMib : named.ephemeral() ? 0 : SandboxSpec.DEFAULT_DISK_MIB;
        SandboxSpec sized = disk == 0 ? named : named.withDiskMib(disk);
        SandboxSpec limited = sized.withPolicies(policies);
        return stopSignal.map(limited::withStopSignal).orElse(limited);
    }
}
