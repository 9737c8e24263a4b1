package dev.cloche.micrometer;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.base.Operation;
import dev.cloche.base.OperationListener;
import dev.cloche.pool.PoolEvent;
import dev.cloche.pool.PoolListener;
import dev.cloche.pool.PoolMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Puts starts, commands, snapshots, pulls, pools and the channels to guests of an application into Micrometer: as meters, and
 * the operations as observations, of which tracing makes spans. Safe for use from several threads. Serves one {@link Cloche}, and is closed after it.
 *
 * <pre>{@code
 * ClocheMeters meters = new ClocheMeters(registry);
 * try (meters; Cloche cloche = Cloche.open(meters.listening(ClocheOptions.ofEnvironment()))) {
 *     meters.bindTo(cloche);
 *     …
 * }
 * }</pre>
 */
@SuppressWarnings("exports") // A module that uses it requires Micrometer itself.
public final class ClocheMeters implements OperationListener, PoolListener, AutoCloseable {
    private final OperationObservations operations;
    private final PoolMeters pools;
    private final ImageMeters images;
    private final ChannelMeters channels;

    /** Makes meters without observations of the application. */
    public ClocheMeters(MeterRegistry meters) {
        this(meters, metersOnly(meters));
    }

    /**
     * Makes meters of pools, images and channels, and observations of all else.
     *
     * @param observations has to have a handler that makes meters of observations, as that of Spring Boot has; else there are
     *     spans of starts, commands and pulls, and no meters of them
     */
    public ClocheMeters(MeterRegistry meters, ObservationRegistry observations) {
        operations = new OperationObservations(meters, observations);
        pools = new PoolMeters(meters);
        images = new ImageMeters(meters);
        channels = new ChannelMeters(meters);
    }

    private static ObservationRegistry metersOnly(MeterRegistry meters) {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        return registry;
    }

    /** Returns the same options with this as the listener of operations and of pools. */
    public ClocheOptions listening(ClocheOptions options) {
        return options.withListener(this).withPoolListener(this);
    }

    /** Adds gauges of the images that are on this host. */
    public void bindTo(Cloche cloche) {
        images.bindTo(cloche);
    }

    @Override
    public Consumer<Operation> begins(Class<? extends Operation> kind, String subject) {
        return operations.begins(kind, subject);
    }

    @Override
    public void ended(Operation operation) {
        operations.ended(operation);
    }

    @Override
    public void begins(Supplier<PoolMetrics> metrics) {
        pools.begins(metrics);
    }

    @Override
    public void happened(PoolEvent event) {
        pools.happened(event);
    }

    /** Removes the gauges; counts and times stay. Closing twice does nothing. */
    @Override
    public void close() {
        pools.close();
        images.close();
        channels.close();
    }
}
