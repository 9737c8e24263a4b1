package dev.cloche.micrometer;

import dev.cloche.vm.ChannelTraffic;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.function.ToDoubleFunction;

/** Has meters of what goes between this process and its guests. */
final class ChannelMeters implements AutoCloseable {
    private final OwnGauges gauges;

    ChannelMeters(MeterRegistry registry) {
        ChannelTraffic traffic = ChannelTraffic.ofThisProcess();
        gauges = new OwnGauges(registry);
        gauges.add(Gauge.builder("cloche.channel.open", traffic, ChannelTraffic::open)
                .description("Guests that this process is connected to"));
        count(registry, "cloche.channel.sent", "What guests were sent", ChannelTraffic::bytesSent);
        count(registry, "cloche.channel.received", "What came from guests", ChannelTraffic::bytesReceived);
    }

    private static void count(
            MeterRegistry registry, String name, String description, ToDoubleFunction<ChannelTraffic> what) {
        FunctionCounter.builder(name, ChannelTraffic.ofThisProcess(), what)
                .baseUnit(BaseUnits.BYTES)
                .description(description)
                .register(registry);
    }

    @Override
    public void close() {
        gauges.close();
    }
}
