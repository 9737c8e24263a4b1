package dev.cloche.micrometer;

import dev.cloche.Cloche;
import dev.cloche.image.ImageSummary;
import dev.cloche.image.LocalImage;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.Collection;
import java.util.stream.Collectors;

/** Has gauges of the images of a state root, which are read from its records whenever they are asked for. */
final class ImageMeters implements AutoCloseable {
    private final OwnGauges gauges;

    ImageMeters(MeterRegistry registry) {
        gauges = new OwnGauges(registry);
    }

    void bindTo(Cloche cloche) {
        gauges.add(Gauge.builder("cloche.images", cloche, open -> images(open).size())
                .description("Images on this host, each once"));
        gauges.add(Gauge.builder(
                        "cloche.images.size",
                        cloche,
                        open -> images(open).stream()
                                .mapToLong(ImageSummary::sizeBytes)
                                .sum())
                .baseUnit(BaseUnits.BYTES)
                .description("Their compressed layers, as the registries sent them"));
    }

    private static Collection<ImageSummary> images(Cloche cloche) {
        return cloche.images().list().stream()
                .map(LocalImage::summary)
                .collect(Collectors.toMap(ImageSummary::manifest, image -> image, (one, _) -> one))
                .values();
    }

    @Override
    public void close() {
        gauges.close();
    }
}
