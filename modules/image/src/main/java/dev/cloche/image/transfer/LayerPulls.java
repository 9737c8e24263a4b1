package dev.cloche.image.transfer;

import dev.cloche.image.Digest;
import dev.cloche.image.manifest.Descriptor;
import dev.cloche.image.store.StoredImage.StoredLayer;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Several layers at a time. The first that fails ends the others. */
final class LayerPulls {
    private LayerPulls() {}

    @FunctionalInterface
    interface One {
        StoredLayer run(Digest diffId, Descriptor blob) throws IOException, InterruptedException;
    }

    /** On platform threads: the work is decompression and hashing, which would keep virtual threads' carriers busy. */
    static Map<Digest, StoredLayer> run(int parallelism, Map<Digest, Descriptor> layers, One one)
            throws IOException, InterruptedException {
        ExecutorService workers = Executors.newFixedThreadPool(
                Math.clamp(layers.size(), 1, parallelism),
                Thread.ofPlatform().daemon().name("cloche-layer-", 0).factory());
        try {
            CompletionService<StoredLayer> running = new ExecutorCompletionService<>(workers);
            layers.forEach((diffId, blob) -> running.submit(() -> one.run(diffId, blob)));
            Map<Digest, StoredLayer> stored = new HashMap<>();
            for (int i = 0; i < layers.size(); i++) {
                StoredLayer layer = running.take().get();
                stored.put(layer.diffId(), layer);
            }
            return stored;
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException cause -> throw cause;
                case RuntimeException cause -> throw cause;
                case Error cause -> throw cause;
                case null, default -> throw new IllegalStateException(e);
            }
        } finally {
            // Their locks and temporary files are theirs to give back, so wait until they have.
            workers.shutdownNow();
            workers.close();
        }
    }
}
