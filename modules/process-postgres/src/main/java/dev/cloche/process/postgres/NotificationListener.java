package dev.cloche.process.postgres;

import dev.cloche.base.Deadline;
import dev.cloche.process.store.CommitListener;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Hears what other programs have committed: by notifications on a connection of its own, and by looking into the change
 * feed now and then and after each new connection, for notifications can be lost. The feed loses nothing.
 */
final class NotificationListener implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(NotificationListener.class.getName());
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final PostgresConfig config;
    private final String ownSender;
    private final CommitListener target;
    private final FeedTail tail;
    private final CountDownLatch started = new CountDownLatch(1);
    private final Thread thread;
    private volatile boolean closed;
    private volatile @Nullable Connection connection;

    NotificationListener(PostgresConfig config, String ownSender, CommitListener target, FeedTail tail) {
        this.config = config;
        this.ownSender = ownSender;
        this.target = target;
        this.tail = tail;
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("cloche-process-listener-" + config.schema())
                .start(this::run);
    }

    /**
     * Until it hears, or is closed, or a first attempt has failed; then it is the safety poll that hears. Or until the
     * deadline.
     */
    void awaitStart(Deadline deadline) {
        boolean interrupted = false;
        while (true) {
            try {
                var _ = started.await(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            listenUntilClosed();
        } finally {
            started.countDown();
        }
    }

    private void listenUntilClosed() {
        Duration pause = FIRST_PAUSE;
        while (!closed) {
            try (Connection open = PostgresConnections.single(config, Duration.ZERO)) {
                connection = open;
                try (Statement statement = open.createStatement()) {
                    statement.execute("LISTEN " + config.channel());
                }
                tail.look();
                started.countDown();
                pause = FIRST_PAUSE;
                hear(open.unwrap(PGConnection.class));
            } catch (SQLException | RuntimeException e) {
                if (!closed) {
                    LOGGER.log(
                            Level.WARNING,
                            "notifications are not heard at the moment: {0}",
                            PostgresErrors.describe(e));
                }
                started.countDown();
                lookAnyway();
                rest(pause);
                pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0 ? pause.multipliedBy(2) : LONGEST_PAUSE;
            }
        }
    }

    private void hear(PGConnection open) throws SQLException {
        long interval = config.safetyPoll().toNanos();
        long next = System.nanoTime() + interval;
        while (!closed) {
            long left = TimeUnit.NANOSECONDS.toMillis(next - System.nanoTime());
            // Zero would be to wait for ever.
            PGNotification[] heard = open.getNotifications(Math.toIntExact(Math.max(1, left)));
            for (PGNotification notification : heard == null ? List.<PGNotification>of() : List.of(heard)) {
                Notifications.Message message = Notifications.read(notification.getParameter());
                if (!message.sender().equals(ownSender)) {
                    message.changes().ifPresentOrElse(target::committed, target::unknownCommitted);
                }
            }
            if (next - System.nanoTime() <= 0) {
                tail.look();
                next = System.nanoTime() + interval;
            }
        }
    }

    /** Without a connection of its own it can still be that those of the transactions work. */
    private void lookAnyway() {
        try {
            if (!closed) {
                tail.look();
            }
        } catch (RuntimeException e) {
            LOGGER.log(Level.DEBUG, "the change feed cannot be read", e);
        }
    }

    private void rest(Duration pause) {
        try {
            TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        } catch (InterruptedException e) {
            closed = true;
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        Connection open = connection;
        if (open != null) {
            try {
                // Ends the read that the thread is in.
                open.abort(Runnable::run);
            } catch (SQLException e) {
                LOGGER.log(Level.DEBUG, "the connection of the listener does not close", e);
            }
        }
        try {
            thread.join(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
