package dev.cloche.process;

import java.util.Optional;

/** Tells a listener of what is new in the feed since the last look. For one thread. */
final class FeedWatch implements Runnable {
    private static final int PAGE = 1_000;

    private final ProcessStore store;
    private final CommitListener listener;
    private Optional<String> cursor;

    FeedWatch(ProcessStore store, CommitListener listener, Optional<String> cursor) {
        this.store = store;
        this.listener = listener;
        this.cursor = cursor;
    }

    /** Looks. If it cannot, everybody who waits looks for themselves, and finds out why. */
    @Override
    public void run() {
        try {
            ChangePage page;
            do {
                Optional<String> from = cursor;
                page = store.read(reads -> reads.changes(from, PAGE));
                listener.committed(page.changes());
                cursor = Optional.of(page.next());
            } while (page.changes().size() == PAGE);
        } catch (ProcessException e) {
            listener.unknownCommitted();
        }
    }
}
