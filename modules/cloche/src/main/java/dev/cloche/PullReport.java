package dev.cloche;

import dev.cloche.PullProgress.Phase;
import dev.cloche.image.Digest;
import dev.cloche.image.PullEvent;
import dev.cloche.image.PullListener;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Tells a {@link PullProgress} what the room of images says of one pull. Thread-safe. */
final class PullReport implements PullListener {
    private static final int SHORT_DIGEST = 12;

    private final PullProgress progress;
    private final Map<Digest, PullEvent.Progress> latest = new ConcurrentHashMap<>();

    PullReport(PullProgress progress) {
        this.progress = progress;
    }

    @Override
    public void on(PullEvent event) {
        switch (event) {
            case PullEvent.Progress step -> {
                latest.put(step.layer(), step);
                progress.layer(shortened(step.layer()), Phase.PULLING, step.bytes(), step.totalBytes());
            }
            case PullEvent.LayerReady(Digest layer, boolean reused) -> {
                PullEvent.Progress last = latest.getOrDefault(layer, new PullEvent.Progress(layer, 0, -1));
                progress.layer(shortened(layer), reused ? Phase.PRESENT : Phase.DONE, last.bytes(), last.totalBytes());
            }
            case PullEvent.Resolved resolved -> {}
            case PullEvent.Warning(String text) -> progress.warning(text);
        }
    }

    private static String shortened(Digest digest) {
        return digest.hex().substring(0, SHORT_DIGEST);
    }
}
