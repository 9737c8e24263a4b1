package dev.cloche.process.postgres;

import dev.cloche.process.Change;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells other programs what this one has committed, by one connection of its own and as much at once as has gathered
 * while the last batch was on its way. Not in the writers' transactions: a transaction that notifies holds a lock of the
 * whole server while it commits, and so would serialise them all.
 *
 * <p>What is not told, because this program dies or its connection does, is found by the others' safety poll.
 */
final class NotificationSender implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(NotificationSender.class.getName());
    private static final int LONGEST_QUEUE = 100_000;
    private static final int LARGEST_BATCH = 2_000;
    private static final Duration AFTER_FAILURE = Duration.ofMillis(500);

    private final PostgresConfig config;
    private final String sender;
    private final BlockingQueue<Change> queue = new LinkedBlockingQueue<>(LONGEST_QUEUE);
    private final Thread thread;
    private volatile boolean overflowed;
    private volatile boolean closed;
    private @Nullable Connection connection;

    NotificationSender(PostgresConfig config, String sender) {
        this.config = config;
        this.sender = sender;
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("cloche-process-notifier-" + config.schema())
                .start(this::run);
    }

    /** Never waits. */
    void tell(Collection<Change> changes) {
        for (Change change : changes) {
            if (!queue.offer(change)) {
                overflowed = true;
                return;
            }
        }
    }

    private void run() {
        while (!closed) {
            try {
                List<Change> batch = new ArrayList<>();
                batch.add(queue.take());
                queue.drainTo(batch, LARGEST_BATCH - 1);
                send(texts(batch));
            } catch (SQLException e) {
                LOGGER.log(Level.WARNING, "other hosts were not told of a commit: {0}", PostgresErrors.describe(e));
                disconnect();
                pause();
            } catch (InterruptedException e) {
                closed = true;
            }
        }
        disconnect();
    }

    private List<String> texts(List<Change> batch) {
        if (overflowed) {
            overflowed = false;
            return List.of(Notifications.anything(sender));
        }
        return Notifications.write(sender, new LinkedHashSet<>(batch));
    }

    private void send(List<String> texts) throws SQLException {
        Connection open = connection;
        if (open == null) {
            open = PostgresConnections.single(config, config.statementTimeout().plusSeconds(5));
            connection = open;
        }
        try (PreparedStatement statement = open.prepareStatement("SELECT pg_notify(?, text) FROM unnest(?) AS text")) {
            statement.setString(1, config.channel());
            statement.setArray(2, open.createArrayOf("text", texts.toArray()));
            statement.execute();
        }
    }

    private void pause() {
        try {
            TimeUnit.NANOSECONDS.sleep(AFTER_FAILURE.toNanos());
        } catch (InterruptedException e) {
            closed = true;
        }
    }

    private void disconnect() {
        Connection old = connection;
        connection = null;
        if (old != null) {
            try {
                old.close();
            } catch (SQLException e) {
                LOGGER.log(Level.DEBUG, "the connection of the notifier does not close", e);
            }
        }
    }

    /** What is still in the queue is left to the safety poll of the others. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
