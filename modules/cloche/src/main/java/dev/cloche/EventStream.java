package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.SandboxEvent;
import dev.cloche.sandbox.SandboxEvents;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What happens to the sandboxes of a state root, in its order and without a gap, as long as the reader is not 10,000 events
 * behind. Costs nothing while nothing happens. For one thread at a time; {@link #close} may be called by another.
 *
 * <pre>{@code
 * try (EventStream events = cloche.sandboxes().events()) {
 *     while (true) {
 *         SandboxEvent event = events.next();
 *         System.out.println(event.name() + " " + event.kind());
 *     }
 * }
 * }</pre>
 */
public final class EventStream implements AutoCloseable {
    private final SandboxEvents.Stream stream;

    EventStream(SandboxEvents.Stream stream) {
        this.stream = stream;
    }

    /**
     * Returns the next event, waited for.
     *
     * @throws InterruptedException if the thread is interrupted, or the stream is closed
     */
    public SandboxEvent next() throws InterruptedException {
        return stream.next();
    }

    /** Returns the next event; empty if none comes within this time. Otherwise like {@link #next()}. */
    public Optional<SandboxEvent> next(Duration longest) throws InterruptedException {
        return stream.next(Deadline.after(longest));
    }

    /**
     * Tells a listener of every event from now on, on a thread of its own that ends with this stream. Nothing else may read
     * it then.
     */
    public void forEach(Consumer<SandboxEvent> listener) {
        Thread.ofVirtual().name("cloche-events").start(() -> {
            try {
                while (true) {
                    listener.accept(next());
                }
            } catch (InterruptedException closed) {
                // As was asked for.
            }
        });
    }

    @Override
    public void close() {
        stream.close();
    }
}
