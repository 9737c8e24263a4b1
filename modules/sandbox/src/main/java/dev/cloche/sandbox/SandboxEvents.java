package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.linux.FileSignal;
import dev.cloche.sandbox.record.EventSignal;
import dev.cloche.sandbox.record.SandboxStore;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** Streams what happens to the sandboxes of a state root, in all processes. Safe for use from several threads. */
public final class SandboxEvents {
    private final SandboxStore store;
    private final EventSignal signal;

    SandboxEvents(SandboxStore store, EventSignal signal) {
        this.store = store;
        this.signal = signal;
    }

    /**
     * Begins to listen.
     *
     * @param since from when on; of what was before this call, the latest 10,000 events are known. Empty for what happens from
     *     now on
     */
    public Stream from(Optional<Instant> since) {
        // Listens before it reads, so that nothing falls between.
        FileSignal rings = signal.listen();
        try {
            return new Stream(store, rings, store.eventsFrom(since));
        } catch (RuntimeException e) {
            rings.close();
            throw e;
        }
    }

    /**
     * Reads events in their order, without a gap as long as the reader is not 10,000 of them behind. For one thread at
     * a time.
     */
    public static final class Stream implements AutoCloseable {
        private final SandboxStore store;
        private final FileSignal rings;
        private final Deque<SandboxEvent> known = new ArrayDeque<>();
        private long last;

        private Stream(SandboxStore store, FileSignal rings, long last) {
            this.store = store;
            this.rings = rings;
            this.last = last;
        }

        /**
         * Returns the next event, waited for.
         *
         * @throws InterruptedException if the thread is interrupted, or the stream is closed meanwhile
         */
        public SandboxEvent next() throws InterruptedException {
            return next(Deadline.none()).orElseThrow(InterruptedException::new);
        }

        /** Returns the next event; empty if the deadline passes before. */
        public Optional<SandboxEvent> next(Deadline deadline) throws InterruptedException {
            while (known.isEmpty()) {
                known.addAll(store.eventsAfter(last));
                if (known.isEmpty() && !rung(deadline)) {
                    return Optional.empty();
                }
            }
            SandboxEvent event = known.removeFirst();
            last = event.id();
            return Optional.of(event);
        }

        private boolean rung(Deadline deadline) throws InterruptedException {
            boolean rung = rings.await(deadline);
            if (rings.isClosed()) {
                throw new InterruptedException("the stream of events is closed");
            }
            return rung;
        }

        @Override
        public void close() {
            rings.close();
        }
    }
}
