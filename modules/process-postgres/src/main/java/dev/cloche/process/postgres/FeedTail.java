package dev.cloche.process.postgres;

import dev.cloche.base.Deadline;
import dev.cloche.process.store.CommitListener;
import java.util.List;
import java.util.Optional;

/** Follows the end of the change feed on behalf of threads that wait. For one thread. */
final class FeedTail {
    private static final int PAGE = 5_000;
    private static final String END = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon";

    private final TransactionRunner transactions;
    private final CommitListener target;
    private Optional<FeedPosition> position = Optional.empty();

    FeedTail(TransactionRunner transactions, CommitListener target) {
        this.transactions = transactions;
        this.target = target;
    }

    /**
     * Tells of everything since the last look. What is not settled yet is told too, and again with the next look: a
     * transaction that runs for long must hide no others.
     */
    void look() {
        FeedPosition from = position.orElseGet(this::end);
        boolean forgotten =
                transactions.reading(Deadline.none(), statements -> new PostgresFeed(statements).isForgotten(from));
        List<FeedEntry> entries = transactions.reading(
                Deadline.none(), statements -> FeedEntry.list(statements, from, FeedPosition.BEGINNING, false, PAGE));
        if (forgotten || entries.size() == PAGE) {
            target.unknownCommitted();
            position = Optional.of(end());
            return;
        }
        target.committed(entries.stream().map(FeedEntry::change).toList());
        FeedPosition settled = from;
        for (FeedEntry entry : entries) {
            if (!entry.settled()) {
                break;
            }
            settled = entry.position();
        }
        position = Optional.of(settled);
    }

    /** Returns the end of what is settled now. A thread that waits has begun to, and looks for itself after this. */
    private FeedPosition end() {
        String horizon = transactions
                .reading(Deadline.none(), statements -> statements.first(row -> row.getString("horizon"), END))
                .orElseThrow();
        return new FeedPosition(horizon, 0);
    }
}
