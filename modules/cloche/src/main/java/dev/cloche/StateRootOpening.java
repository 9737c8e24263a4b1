package dev.cloche;

import dev.cloche.sandbox.TemplateMaking;
import org.jspecify.annotations.Nullable;

/**
 * Opens the rooms of a state root once, for the first that asks; the others wait for it. Thread-safe. Rooms that are open are had
 * without a lock: listeners ask for them while another thread closes them, and waits for the listeners.
 */
final class StateRootOpening implements AutoCloseable {
    private final ClocheOptions options;
    private volatile @Nullable Rooms rooms;
    private boolean closed;

    StateRootOpening(ClocheOptions options) {
        this.options = options;
    }

    /** Returns the rooms; after a failure the next call tries again. */
    Rooms rooms() {
        Rooms open = rooms;
        return open == null ? openOnce() : open;
    }

    /** Returns whether starts have templates made, by this process or another one. */
    boolean makesTemplates() {
        return !(options.templateMaking() instanceof TemplateMaking.Never);
    }

    private synchronized Rooms openOnce() {
        Rooms open = rooms;
        if (open == null) {
            if (closed) {
                throw new IllegalStateException("It was closed before its first use.");
            }
            open = Rooms.open(options);
            open.maintenance().start();
            rooms = open;
        }
        return open;
    }

    /** Waits for a thread that opens them, and closes them. */
    @Override
    public void close() {
        Rooms open = last();
        if (open != null) {
            open.close();
        }
    }

    private synchronized @Nullable Rooms last() {
        closed = true;
        return rooms;
    }
}
