package dev.cloche.pool;

import dev.cloche.base.EnumNames;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Publishes a pool's metrics by Micrometer, which is needed on the class path only where this class is used. Given to a
 * pool as its listener. Safe for use from several threads.
 *
 * <p>Tagged by the key: gauges by all of it, counts and times without its version, which is a digest that changes with
 * each build.
 */
@SuppressWarnings("exports") // A module that uses it requires Micrometer itself.
public final class PoolMeters implements PoolListener {
    private final MeterRegistry registry;
    private final AtomicReference<Optional<Supplier<PoolMetrics>>> pool = new AtomicReference<>(Optional.empty());
    private final Set<StackKey> gauged = ConcurrentHashMap.newKeySet();

    public PoolMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void begins(Supplier<PoolMetrics> metrics) {
        pool.set(Optional.of(metrics));
        Gauge.builder("cloche.pool.quarantined", this, meters -> meters.read(PoolMetrics::quarantined))
                .description("VMs that could not be destroyed yet")
                .register(registry);
    }

    @Override
    public void happened(PoolEvent event) {
        gauge(event.key());
        Tags tags = tags(event.key());
        switch (event) {
            case PoolEvent.Restored restored -> {
                time("cloche.pool.restore", tags, restored.took());
                time("cloche.pool.refill.lag", tags, restored.lag());
            }
            case PoolEvent.Checked checked ->
                time(
                        "cloche.pool.validate",
                        tags.and("verdict", checked.healthy() ? "healthy" : "unhealthy"),
                        checked.took());
            case PoolEvent.Acquired acquired ->
                time("cloche.pool.acquire", tags.and("kind", EnumNames.of(acquired.kind())), acquired.took());
            case PoolEvent.Evicted evicted ->
                count("cloche.pool.evictions", tags.and("cause", EnumNames.of(evicted.cause())));
            case PoolEvent.RestoreFailed failed -> count("cloche.pool.failures", tags.and("code", failed.code()));
            case PoolEvent.Adopted _ -> count("cloche.pool.adoptions", tags);
            case PoolEvent.Stalled _ -> count("cloche.pool.stalls", tags);
            case PoolEvent.Recovered _ -> count("cloche.pool.recoveries", tags);
            case PoolEvent.Quarantined _ -> count("cloche.pool.leaks", tags);
        }
    }

    private void gauge(StackKey key) {
        if (gauged.add(key)) {
            gauge("cloche.pool.depth", key, PoolMetrics.Key::depth);
            gauge("cloche.pool.target", key, PoolMetrics.Key::target);
            gauge("cloche.pool.in.flight", key, PoolMetrics.Key::inFlight);
            gauge("cloche.pool.waiters", key, PoolMetrics.Key::waiters);
            gauge("cloche.pool.hits", key, PoolMetrics.Key::hits);
            gauge("cloche.pool.late.hits", key, PoolMetrics.Key::lateHits);
            gauge("cloche.pool.misses", key, PoolMetrics.Key::misses);
        }
    }

    private void gauge(String name, StackKey key, ToDoubleFunction<PoolMetrics.Key> what) {
        Gauge.builder(
                        name,
                        this,
                        meters -> meters.read(
                                metrics -> Optional.ofNullable(metrics.keys().get(key))
                                        .map(found -> what.applyAsDouble(found))
                                        .orElse(0.0)))
                .tags(tags(key).and("version", key.version()))
                .register(registry);
    }

    private double read(ToDoubleFunction<PoolMetrics> what) {
        return pool.get().map(metrics -> what.applyAsDouble(metrics.get())).orElse(0.0);
    }

    private void time(String name, Tags tags, Duration took) {
        Timer.builder(name)
                .tags(tags)
                .publishPercentileHistogram()
                .register(registry)
                .record(took);
    }

    private void count(String name, Tags tags) {
        Counter.builder(name).tags(tags).register(registry).increment();
    }

    private static Tags tags(StackKey key) {
        return Tags.of(
                "name", key.name(), "cpus", String.valueOf(key.cpus()), "memory", String.valueOf(key.memoryMiB()));
    }
}
