package dev.cloche.micrometer;

import dev.cloche.base.EnumNames;
import dev.cloche.pool.PoolEvent;
import dev.cloche.pool.PoolListener;
import dev.cloche.pool.PoolMetrics;
import dev.cloche.pool.StackKey;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Has the meters of a pool, tagged by the key: gauges by all of it, counts and times without its version, which is a digest that
 * changes with each build. The gauges of a key that is not registered any more are removed.
 */
final class PoolMeters implements PoolListener, AutoCloseable {
    private final MeterRegistry registry;
    private final AtomicReference<Optional<Supplier<PoolMetrics>>> pool = new AtomicReference<>(Optional.empty());
    private final Map<StackKey, OwnGauges> gauged = new ConcurrentHashMap<>();
    private final OwnGauges common;

    PoolMeters(MeterRegistry registry) {
        this.registry = registry;
        common = new OwnGauges(registry);
    }

    @Override
    public void begins(Supplier<PoolMetrics> metrics) {
        pool.set(Optional.of(metrics));
        common.add(Gauge.builder("cloche.pool.quarantined", this, meters -> meters.read(PoolMetrics::quarantined))
                .description("VMs that could not be destroyed yet"));
    }

    @Override
    public void happened(PoolEvent event) {
        if (!gauged.containsKey(event.key()) || event instanceof PoolEvent.Evicted) {
            follow();
        }
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

    /** Has gauges of what is registered, and of nothing else. */
    private void follow() {
        Set<StackKey> registered =
                pool.get().map(metrics -> metrics.get().keys().keySet()).orElse(Set.of());
        gauged.entrySet().removeIf(entry -> {
            boolean gone = !registered.contains(entry.getKey());
            if (gone) {
                entry.getValue().close();
            }
            return gone;
        });
        registered.forEach(key -> gauged.computeIfAbsent(key, this::gauges));
    }

    private OwnGauges gauges(StackKey key) {
        OwnGauges gauges = new OwnGauges(registry);
        gauges.add(gauge("cloche.pool.depth", key, PoolMetrics.Key::depth));
        gauges.add(gauge("cloche.pool.target", key, PoolMetrics.Key::target));
        gauges.add(gauge("cloche.pool.in.flight", key, PoolMetrics.Key::inFlight));
        gauges.add(gauge("cloche.pool.waiters", key, PoolMetrics.Key::waiters));
        gauges.add(gauge("cloche.pool.hits", key, PoolMetrics.Key::hits));
        gauges.add(gauge("cloche.pool.late.hits", key, PoolMetrics.Key::lateHits));
        gauges.add(gauge("cloche.pool.misses", key, PoolMetrics.Key::misses));
        return gauges;
    }

    private Gauge.Builder<?> gauge(String name, StackKey key, ToDoubleFunction<PoolMetrics.Key> what) {
        return Gauge.builder(
                        name,
                        this,
                        meters -> meters.read(
                                metrics -> Optional.ofNullable(metrics.keys().get(key))
                                        .map(found -> what.applyAsDouble(found))
                                        .orElse(0.0)))
                .tags(tags(key).and("version", key.version()));
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

    @Override
    public void close() {
        common.close();
        gauged.values().forEach(OwnGauges::close);
        gauged.clear();
    }
}
