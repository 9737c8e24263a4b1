package dev.cloche;

import dev.cloche.pool.DepthPolicy;
import dev.cloche.pool.Preparation;
import dev.cloche.sandbox.PoolShape;
import dev.cloche.sandbox.PoolStatus;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.vm.Guest;
import dev.cloche.vm.Network;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Says how VMs are to be kept ready. Not safe for use from several threads.
 *
 * <pre>{@code
 * cloche.pools().pool("python:3.13").memoryMib(512).depth(1, 8)
 *         .warmUp(guest -> startServer(guest))
 *         .healthCheck("curl", "--fail", "http://localhost:8000/health")
 *         .set();
 * }</pre>
 */
public final class PoolBuilder {
    private static final int DEFAULT_MEMORY = 512;

    private final ShapeOf shapeOf;
    private final Setter setter;
    private final Remover remover;
    private int memoryMib = DEFAULT_MEMORY;
    private int cpus = 1;
    private Network network = Network.NONE;
    private PoolStatus.Policy policy = PoolStatus.Policy.of(DepthPolicy.of(1));
    private Preparation preparation = Preparation.NONE;
    private boolean fixed;

    interface ShapeOf {
        PoolShape of(int memoryMib, int cpus, Network network);
    }

    interface Setter {
        PoolInfo set(PoolShape shape, PoolStatus.Policy policy, Preparation preparation);
    }

    interface Remover {
        void remove(int memoryMib, int cpus, Network network);
    }

    PoolBuilder(ShapeOf shapeOf, Setter setter, Remover remover) {
        this.shapeOf = shapeOf;
        this.setter = setter;
        this.remover = remover;
    }

    /** Has it refuse a size and a network of its own. */
    PoolBuilder ofFixedSize() {
        fixed = true;
        return this;
    }

    private void requireOwnSize() {
        if (fixed) {
            throw new SandboxException.InvalidSpecification(
                    "VMs of a prepared template have its memory, processors and network.",
                    "Leave them out, or prepare another template.");
        }
    }

    /** Sets the memory of a guest in MiB; 512 by default. */
    public PoolBuilder memoryMib(int mebibytes) {
        requireOwnSize();
        memoryMib = mebibytes;
        return this;
    }

    /** Sets the processors of a guest; 1 by default. */
    public PoolBuilder cpus(int count) {
        requireOwnSize();
        cpus = count;
        return this;
    }

    /** Sets the network of the sandboxes that it is for; none by default. One that publishes ports takes from no pool. */
    public PoolBuilder network(Network value) {
        requireOwnSize();
        network = value;
        return this;
    }

    /** Keeps always this many VMs, 1 to 1,024; 1 by default. */
    public PoolBuilder depth(int vms) {
        return depth(DepthPolicy.of(vms));
    }

    /**
     * Keeps as many VMs as are asked for in the time of one restore, and one more, between these two. Where no process is there
     * to stay and no demand is known, {@code min} are kept, and at least one.
     */
    public PoolBuilder depth(int min, int max) {
        return depth(new DepthPolicy(
                min, max, DepthPolicy.Sizing.BY_DEMAND, policy.depth().coldAfter()));
    }

    private PoolBuilder depth(DepthPolicy depth) {
        policy = policy.withDepth(depth);
        return this;
    }

    /** Keeps none once no sandbox has asked for so long, until one does; never by default. To be given after the depth. */
    public PoolBuilder coldAfter(Duration idle) {
        return depth(policy.depth().coldAfter(idle));
    }

    /**
     * Ends an unused VM after this, 1 second to 365 days; 10 minutes by default. While some process keeps the pool, another
     * takes its place before.
     */
    public PoolBuilder maxAge(Duration age) {
        policy = policy.withMaxAge(age);
        return this;
    }

    /**
     * Runs this in the guest of each new VM before it waits, to bring it into the state in which sandboxes get it. What it
     * throws rejects the VM. It is called from several threads at once, has a minute, and is known to this process alone: other
     * processes take the VMs, and make none.
     */
    public PoolBuilder warmUp(Consumer<Guest> work) {
        preparation = preparation.withWarmUp(work);
        return this;
    }

    /** Checks after {@link #warmUp} whether the guest is good, and throws if it is not. */
    public PoolBuilder healthCheck(Consumer<Guest> check) {
        preparation = preparation.withHealthCheck(check);
        return this;
    }

    /**
     * Runs a program in each new VM before it waits, with the image's environment, in every process that makes VMs of the pool.
     * A VM in which it does not end with 0 within a minute is rejected. Comes after a warm-up and before all other checks.
     */
    public PoolBuilder healthCheck(String... command) {
        policy = policy.withCheck(List.of(command));
        return this;
    }

    /**
     * Asks each new VM before it waits whether this is so, in every process that makes VMs of the pool: a VM of which it is not,
     * within 5 seconds, is rejected; one answer of a server has 30. Of several ports and pages all have to be served. They come
     * after a command and before a check by a function; {@link Ready.Command} is {@link #healthCheck(String...)}.
     *
     * <pre>{@code
     * cloche.pools().template("api").depth(4).healthCheck(Ready.http(8000, "/health")).set();
     * }</pre>
     *
     * @throws dev.cloche.base.ClocheException if it is a {@link Ready.Log}: no such VM has a main command
     */
    public PoolBuilder healthCheck(Ready condition) {
        return switch (condition) {
            case Ready.Port(int port) -> probe(new PoolStatus.Probe(port, Optional.empty()));
            case Ready.Http(int port, String path) -> probe(new PoolStatus.Probe(port, Optional.of(path)));
            case Ready.Command(List<String> words) -> healthCheck(words.toArray(String[]::new));
            case Ready.Log _ ->
                throw new SandboxException.InvalidSpecification(
                        "A VM of a pool has no main command whose output could be looked at.",
                        "Ask it by Ready.port, Ready.http or Ready.command.");
        };
    }

    private PoolBuilder probe(PoolStatus.Probe probe) {
        policy = policy.withProbes(
                Stream.concat(policy.probes().stream(), Stream.of(probe)).toList());
        return this;
    }

    /**
     * Has VMs kept ready from now on, also by processes that come after this one. Returns at once; they are made in the
     * background. Of a pool that is set already this changes all but its image, size and network.
     *
     * @throws dev.cloche.base.ClocheException if a value is out of range, or all pools together would have more than 64 VMs
     *     or 16 GiB, or what {@code config.toml} says
     */
    public PoolInfo set() {
        return setter.set(shapeOf.of(memoryMib, cpus, network), policy, preparation);
    }

    /**
     * Removes the pool of this image, size and network, and its VMs; what was taken from it goes on. The image may be gone from
     * this host.
     *
     * @throws dev.cloche.base.ClocheException if there is none
     */
    public void remove() {
        remover.remove(memoryMib, cpus, network);
    }
}
