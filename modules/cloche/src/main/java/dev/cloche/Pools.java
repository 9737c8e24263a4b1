package dev.cloche;

import dev.cloche.base.Incubating;
import dev.cloche.image.PullListener;
import dev.cloche.sandbox.PoolShape;
import dev.cloche.sandbox.SandboxPools;
import dev.cloche.sandbox.SandboxSnapshot;
import dev.cloche.vm.Network;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The pools of warm VMs of a state root. A sandbox of an image and a size that has a pool gets one of its VMs by itself, in
 * some milliseconds, if it has no disk and publishes no ports of a network. Who fills them is said by {@link
 * ClocheOptions#templateMaking()}. Safe for use from several threads.
 *
 * <pre>{@code
 * cloche.pools().pool("python:3.13").memoryMib(512).depth(4).set();
 * try (Sandbox sandbox = cloche.sandbox("python:3.13").memoryMib(512).start()) {
 *     System.out.println(sandbox.startTimings().map(StartTimings::kind));   // WARM, once it is filled
 * }
 * }</pre>
 */
public final class Pools {
    private final SandboxPools pools;
    private final UnaryOperator<String> exactImage;
    private final Function<String, SandboxSnapshot> prepared;

    /**
     * Creates them.
     *
     * @param exactImage finds the image that the beginning of a digest means
     * @param prepared finds a prepared template
     */
    Pools(SandboxPools pools, UnaryOperator<String> exactImage, Function<String, SandboxSnapshot> prepared) {
        this.pools = pools;
        this.exactImage = exactImage;
        this.prepared = prepared;
    }

    /**
     * Begins to say how VMs of an image are to be kept ready; {@link PoolBuilder#set} does it, {@link PoolBuilder#remove} ends
     * it.
     *
     * @param image reference as in Docker, or the digest of an image on this host or the beginning of it, as {@link Images} has
     *     it; sandboxes take from the pool that are started by the same name, or by the same digest
     */
    public PoolBuilder pool(String image) {
        return new PoolBuilder(
                (memoryMib, cpus, network) -> shape(exactImage.apply(image), memoryMib, cpus, network),
                (shape, policy, preparation) -> PoolInfo.of(pools.set(shape, policy, preparation)),
                (memoryMib, cpus, network) -> pools.remove(shape(named(image), memoryMib, cpus, network)));
    }

    /**
     * Begins to say how VMs of a prepared template are to be kept ready, as {@link #pool} does. They have its size and network,
     * which cannot be said here; sandboxes that {@link Cloche#restore} makes of it take from the pool.
     *
     * <pre>{@code
     * cloche.pools().template("api").depth(4).set();
     * }</pre>
     *
     * @param name of a template that {@link Templates#prepare} has made; looked at by {@link PoolBuilder#set}
     */
    @Incubating
    public PoolBuilder template(String name) {
        return new PoolBuilder(
                        (_, _, _) -> PoolShape.of(prepared.apply(name)),
                        (shape, policy, preparation) -> PoolInfo.of(pools.set(shape, policy, preparation)),
                        (_, _, _) -> pools.remove(pools.ofTemplate(name)))
                .ofFixedSize();
    }

    private static PoolShape shape(String image, int memoryMib, int cpus, Network network) {
        return PoolShape.of(image, memoryMib, cpus).withNetwork(network == Network.USER);
    }

    /** Returns all of them, in the order of their making. */
    public List<PoolInfo> list() {
        return pools.list().stream().map(PoolInfo::of).toList();
    }

    /** What pools have counts first: an image may be gone from this host, and its pool not. */
    private String named(String image) {
        List<String> begun = pools.list().stream()
                .filter(pool -> pool.shape().template().isEmpty())
                .map(pool -> pool.shape().image().toString())
                .filter(name -> image.startsWith("sha256:") && name.startsWith(image))
                .distinct()
                .toList();
        return begun.size() == 1 ? begun.getFirst() : exactImage.apply(image);
    }

    /**
     * Makes now what the pools are short of, and returns when that is done. Images are pulled and templates made where they are
     * missing.
     *
     * @return what went wrong, one sentence each
     */
    public List<String> fill(PullListener progress) {
        return pools.fill(progress);
    }
}
