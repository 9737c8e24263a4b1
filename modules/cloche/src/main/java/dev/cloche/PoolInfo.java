package dev.cloche;

import dev.cloche.pool.DepthPolicy;
import dev.cloche.sandbox.PoolStatus;
import dev.cloche.vm.Network;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A pool of warm VMs, as it is now.
 *
 * <pre>{@code
 * cloche.pools().list().forEach(pool -> System.out.println(pool.image() + " " + pool.ready() + "/" + pool.depth()));
 * }</pre>
 *
 * @param image the whole reference
 * @param template the prepared template that its VMs are of, if they are of one
 * @param memoryMib of a guest in MiB
 * @param cpus of a guest
 * @param network of the sandboxes that it is for
 * @param depth how many VMs it is to have, at most
 * @param minDepth how many it has at least, where demand decides between the two; equal to {@code depth} where it does not
 * @param coldAfter without any demand for this long it has none
 * @param check the command that runs in each new VM, and rejects it by failing; empty for none
 * @param probes the ports and pages that each new VM is asked for: {@link Ready.Port} and {@link Ready.Http}
 * @param inProcess whether functions of an application prepare its VMs
 * @param maxAge after which an unused VM is ended
 * @param createdAt when it was set first
 * @param ready VMs that wait
 * @param making VMs that are being made
 * @param hits starts that got a warm VM
 * @param misses starts that could have had one, had one been ready
 * @param made VMs that were put into it
 * @param failed attempts to make one
 * @param lastError of such an attempt, also after others have succeeded
 * @param retryAt when the next attempt is due, if the latest one failed
 */
public record PoolInfo(
        String image,
        Optional<String> template,
        int memoryMib,
        int cpus,
        Network network,
        int depth,
        int minDepth,
        Optional<Duration> coldAfter,
        Duration maxAge,
        List<String> check,
        List<Ready> probes,
        boolean inProcess,
        Instant createdAt,
        int ready,
        int making,
        long hits,
        long misses,
        long made,
        long failed,
        Optional<String> lastError,
        Optional<Instant> retryAt) {
    static PoolInfo of(PoolStatus pool) {
        DepthPolicy depth = pool.policy().depth();
        boolean byDemand = depth.sizing() == DepthPolicy.Sizing.BY_DEMAND;
        return new PoolInfo(
                pool.shape().image().toString(),
                pool.shape().template(),
                pool.shape().memoryMib(),
                pool.shape().cpus(),
                pool.shape().network() ? Network.USER : Network.NONE,
                depth.max(),
                byDemand ? depth.min() : depth.max(),
                depth.coldAfter(),
                pool.policy().maxAge(),
                pool.policy().check(),
                pool.policy().probes().stream().map(PoolInfo::condition).toList(),
                pool.policy().inProcess(),
                pool.createdAt(),
                pool.ready(),
                pool.making(),
                pool.counts().hits(),
                pool.counts().misses(),
                pool.counts().made(),
                pool.counts().failed(),
                pool.counts().lastError(),
                pool.retryAt());
    }

    private static Ready condition(PoolStatus.Probe probe) {
        return probe.path().isPresent() ? Ready.http(probe.port(), probe.path().get()) : Ready.port(probe.port());
    }
}
