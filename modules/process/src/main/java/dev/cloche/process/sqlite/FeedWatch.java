package dev.cloche.process.sqlite;

import dev.cloche.process.ChangePage;
import dev.cloche.process.ProcessException;
import dev.cloche.process.store.CommitListener;
import dev.cloche.process.store.FeedPositions;
import dev.cloche.process.store.ProcessStore;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Tells a listener of what other programs have added to the feed. The doorbell rings for this program's own commits too, of
 * which the listener has heard; so it keeps count of how far into the feed everything was told, and for the own commits
 * finds out by one number that there is nothing to read. Safe for use from many threads.
 */
public final class FeedWatch implements Runnable {
    private static final int PAGE = 1_000;

    private final ProcessStore store;
    private final LongSupplier lastPosition;
    private final CommitListener listener;
    private long toldUpTo;

    /**
     * Begins behind what is in the feed now.
     *
     * @param lastPosition of the feed of the store
     */
    public FeedWatch(ProcessStore store, LongSupplier lastPosition, CommitListener listener) {
        this.store = store;
        this.lastPosition = lastPosition;
        this.listener = listener;
        this.toldUpTo = lastPosition.getAsLong();
    }

    /** Notes that the listener has been told of these. If others came in between, the next look reads them all. */
    public synchronized void told(FeedRange own) {
        if (own.first() == toldUpTo + 1) {
            toldUpTo = own.last();
        }
    }

    /** Looks. If it cannot, everybody who waits looks for themselves, and finds out why. */
    @Override
    public void run() {
        long last = 0;
        try {
            last = lastPosition.getAsLong();
            for (long from = position(); from < last; from = position()) {
                Optional<String> cursor = Optional.of(FeedPositions.at(from).text());
                ChangePage page = store.read(reads -> reads.changes(cursor, PAGE));
                listener.committed(page.changes());
                reached(FeedPositions.parse(page.next(), Long.MAX_VALUE).position());
            }
        } catch (ProcessException.FeedForgotten e) {
            reached(last);
            listener.unknownCommitted();
        } catch (ProcessException e) {
            listener.unknownCommitted();
        }
    }

    private synchronized long position() {
        return toldUpTo;
    }

    private synchronized void reached(long position) {
        toldUpTo = Math.max(toldUpTo, position);
    }
}
