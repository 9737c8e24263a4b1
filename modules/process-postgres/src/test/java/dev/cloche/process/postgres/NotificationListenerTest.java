package dev.cloche.process.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.cloche.base.Deadline;
import dev.cloche.process.Change;
import dev.cloche.process.store.CommitListener;
import java.time.Duration;
import java.util.Collection;
import org.junit.jupiter.api.Test;

class NotificationListenerTest {
    private static final CommitListener NOBODY = new CommitListener() {
        @Override
        public void committed(Collection<Change> changes) {}

        @Override
        public void unknownCommitted() {}
    };

    @Test
    void whoeverWaitsForItsStartGoesOnWhenItIsClosedAtOnce() {
        PostgresConfig nowhere = PostgresConfig.of("jdbc:postgresql://localhost:1/none", "user", "");
        try (HikariDataSource pool = new HikariDataSource()) {
            FeedTail tail = new FeedTail(new TransactionRunner(pool, Duration.ofSeconds(1)), NOBODY);
            // Some are closed before their first look.
            for (int i = 0; i < 100; i++) {
                Deadline deadline = Deadline.after(Duration.ofMinutes(2));
                NotificationListener listener = new NotificationListener(nowhere, "me", NOBODY, tail);
                listener.close();
                listener.awaitStart(deadline);
                assertThat(deadline.passed()).isFalse();
            }
        }
    }
}
