package dev.cloche;

import dev.cloche.sandbox.PoolShape;
import java.time.Duration;
import java.util.List;

/**
 * The pools of warm VMs of a state root. A sandbox of an image and a size that has a pool gets one of its VMs by itself, in some
 * milliseconds, if it has no disk and publishes no ports. Who fills them is said by {@link
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
    private final dev.cloche.sandbox.Pools pools;

    Pools(dev.cloche.sandbox.Pools pools) {
        this.pools = pools;
    }

    /** The same, whose unused VMs are ended after 10 minutes. */
    public PoolInfo set(String image, int memoryMib, int cpus, int depth) {
        return set(image, memoryMib, cpus, depth, dev.cloche.sandbox.Pools.DEFAULT_MAX_AGE);
    }

    /** The same, for sandboxes without a network. */
    public PoolInfo set(String image, int memoryMib, int cpus, int depth, Duration maxAge) {
        return set(image, memoryMib, cpus, Network.NONE, depth, maxAge);
    }

    /**
     * Has VMs kept ready from now on, also by processes that come after this one. Returns at once; they are made in the
     * background. Of a pool that is there this changes the depth and the age.
     *
     * @param memoryMib of a guest in MiB
     * @param cpus of a guest
     * @param network of the sandboxes that it is for; one that publishes ports takes from none
     * @param depth how many VMs
     * @param maxAge after which an unused VM is ended, 1 second to 365 days; while some process keeps the pool, another takes its place
     *     before
     * @throws dev.cloche.base.ClocheException if a value is out of range, or all pools together would have more than 64 VMs
     *     or 16 GiB
     */
    public PoolInfo set(String image, int memoryMib, int cpus, Network network, int depth, Duration maxAge) {
        return PoolInfo.of(pools.set(shape(image, memoryMib, cpus, network), depth, maxAge));
    }

    private static PoolShape shape(String image, int memoryMib, int cpus, Network network) {
        return PoolShape.of(image, memoryMib, cpus).withNetwork(network == Network.USER);
    }

    /** All of them, in the order of their making. */
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
     * @throws dev.cloche.base.ClocheException if there is none of this image, size and network
     */
    public void remove(String image, int memoryMib, int cpus, Network network) {
        pools.remove(shape(image, memoryMib, cpus, network));
    }

    /**
     * Makes now what the pools are short of, and returns when that is done. Images are pulled and templates made where they are
     * missing.
     *
     * @return what went wrong, one sentence each
     */
    public List<String> fill(PullProgress progress) {
        return pools.fill(new PullReport(progress));
    }
}
