package dev.cloche.image.transfer;

import dev.cloche.base.FlightRecording;
import dev.cloche.base.OperationWatch;
import dev.cloche.base.Operations;
import dev.cloche.image.Digest;
import dev.cloche.image.ImagePull;
import dev.cloche.image.ImageReference;
import dev.cloche.image.PullEvent;
import dev.cloche.image.PullListener;
import dev.cloche.image.manifest.ImageSource;
import dev.cloche.image.store.RecordedImage;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Tells of a pull when it has ended. */
final class PullWatch {
    private final ImageReference reference;
    private final ImageSource source;
    private final OperationWatch<ImagePull> watch;
    private final Map<Digest, Long> read = new ConcurrentHashMap<>();
    private final AtomicInteger layers = new AtomicInteger();
    private final AtomicInteger newLayers = new AtomicInteger();

    PullWatch(Operations operations, ImageReference reference, ImageSource source) {
        this.reference = reference;
        this.source = source;
        watch = operations.begin(
                ImagePull.class, reference.toString(), FlightRecording.isAvailable() ? new JfrPull() : null);
    }

    /** Counts what a listener hears, which may come from several threads. */
    PullListener listening(PullListener listener) {
        if (!watch.isHeard()) {
            return listener;
        }
        return event -> {
            switch (event) {
                case PullEvent.Resolved(var _, var _, int distinct) -> layers.set(distinct);
                case PullEvent.Progress(Digest layer, long count, var _) -> read.put(layer, count);
                case PullEvent.LayerReady(var _, boolean reused) -> newLayers.addAndGet(reused ? 0 : 1);
                case PullEvent.Warning _ -> {}
            }
            listener.on(event);
        };
    }

    void succeeded(RecordedImage recorded) {
        watch.succeeded((took, failure) -> pull(Optional.of(recorded.image().manifest()), took, failure));
    }

    void failed(Throwable why) {
        watch.failed(why, (took, failure) -> pull(Optional.empty(), took, failure));
    }

    private ImagePull pull(Optional<Digest> manifest, Duration took, Optional<String> failure) {
        long bytes = read.values().stream().mapToLong(Long::longValue).sum();
        return new ImagePull(reference, manifest, source.name(), layers.get(), newLayers.get(), bytes, took, failure);
    }
}
