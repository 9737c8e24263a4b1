package dev.cloche;

import dev.cloche.image.PullListener;
import dev.cloche.sandbox.PoolShape;
import dev.cloche.sandbox.SandboxPools;
import dev.cloche.vm.Network;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The pools of warm VMs of a state root. A sandbox of an image and a size that has a pool gets one of its VMs by itself, in
 * some milliseconds, if it has no disk and publishes no ports. Who fills them is said by {@link
 * ClocheOptions#templateMaking()}. Safe for use from several threads.
 *
 * <pre>{@code
 * cloche.pools().set("python:3.13", 512, 1, 4);
 * try (Sandbox sandbox = cloche.sandbox("python:3.13").memory(512).start()) {
 *     System.out.println(sandbox.startTimings().map(StartTimings::kind));   // WARM, once it is filled
 * }
 * }</pre>
 */
public final class Pools {
    private final SandboxPools pools;
    private final UnaryOperator<String> exactImage;

    /** @param exactImage finds the image that the beginning of a digest means */
    Pools(SandboxPools pools, UnaryOperator<String> exactImage) {
        this.pools = pools;
        this.exactImage = exactImage;
    }

    /**
     * Begins to say how VMs of an image are to be kept ready; {@link PoolBuilder#set} does it.
     *
     * @param image as for {@link #set(String, int, int, Network, int, Duration)}
     */
    public PoolBuilder pool(String image) {
        return new PoolBuilder(
                (memoryMib, cpus, network) -> shape(exactImage.apply(image), memoryMib, cpus, network),
                (shape, policy, preparation) -> PoolInfo.of(pools.set(shape, policy, preparation)));
    }

    /** Keeps the same, whose unused VMs are ended after 10 minutes. */
    public PoolInfo set(String image, int memoryMib, int cpus, int depth) {
        return set(image, memoryMib, cpus, depth, SandboxPools.DEFAULT_MAX_AGE);
    }

    /** Keeps the same, for sandboxes without a network. */
    public PoolInfo set(String image, int memoryMib, int cpus, int depth, Duration maxAge) {
        return set(image, memoryMib, cpus, Network.NONE, depth, maxAge);
    }

    /**
     * Has VMs kept ready from now on, also by processes that come after this one. Returns at once; they are made in the
     * background. Of a pool that is there this changes the depth and the age.
     *
     * @param image reference as in Docker, or the digest of an image on this host or the beginning of it, as {@link Images} has
     *     it; sandboxes take from the pool that are started by the same name, or by the same digest
     * @param memoryMib of a guest in MiB
     * @param cpus of a guest
     * @param network of the sandboxes that it is for; one that publishes ports takes from none
     * @param depth how many VMs
     * @param maxAge after which an unused VM is ended, 1 second to 365 days; while some process keeps the pool, another takes
     *     its place before
     * @throws dev.cloche.base.ClocheException if a value is out of range, or all pools together would have more than 64 VMs
     *     or 16 GiB, or what {@code config.toml} says
     */
    public PoolInfo set(String image, int memoryMib, int cpus, Network network, int depth, Duration maxAge) {
        return pool(image)
                .memory(memoryMib)
                .cpus(cpus)
                .network(network)
                .depth(depth)
                .maxAge(maxAge)
                .set();
    }

    private static PoolShape shape(String image, int memoryMib, int cpus, Network network) {
        return PoolShape.of(image, memoryMib, cpus).withNetwork(network == Network.USER);
    }

    /** Returns all of them, in the order of their making. */
    public List<PoolInfo> list() {
        return pools.list().stream().map(PoolInfo::of).toList();
    }

    /** Removes the pool of sandboxes without a network. */
    public void remove(String image, int memoryMib, int cpus) {
        remove(image, memoryMib, cpus, Network.NONE);
    }

    /**
     * Removes a pool and its VMs; what was taken from it goes on.
     *
     * @param image as it was given for the pool, or the beginning of its digest, also if that image is not here any more
     * @throws dev.cloche.base.ClocheException if there is none of this image, size and network
     */
    public void remove(String image, int memoryMib, int cpus, Network network) {
        pools.remove(shape(named(image), memoryMib, cpus, network));
    }

    /** What pools have counts first: an image may be gone from this host, and its pool not. */
    private String named(String image) {
        List<String> begun = pools.list().stream()
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
