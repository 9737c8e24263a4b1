package dev.cloche.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Remembers the gauges that it adds to a registry, because they outlive what they measure unless they are removed. */
final class OwnGauges implements AutoCloseable {
    private final MeterRegistry registry;
    private final Set<Meter.Id> added = ConcurrentHashMap.newKeySet();

    OwnGauges(MeterRegistry registry) {
        this.registry = registry;
    }

    void add(Gauge.Builder<?> gauge) {
        added.add(gauge.register(registry).getId());
    }

    @Override
    public void close() {
        added.forEach(registry::remove);
        added.clear();
    }
}
