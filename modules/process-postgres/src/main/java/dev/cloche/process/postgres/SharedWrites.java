package dev.cloche.process.postgres;

import dev.cloche.base.Deadline;
import dev.cloche.process.Change;
import dev.cloche.process.ProcessException;
import dev.cloche.process.store.GroupCommit;
import dev.cloche.process.store.ProcessStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Lets callers that write to one process at once share a transaction. They would wait for each other's locks anyway, each
 * for a commit of its own. Writers of other processes have nothing to do with it. Safe for use from many threads.
 */
final class SharedWrites {
    private final UninterruptibleExecutor executor;
    private final TransactionRunner transactions;
    private final String clock;
    private final Consumer<Collection<Change>> tell;
    private final ConcurrentHashMap<String, Group> groups = new ConcurrentHashMap<>();

    /** @param tell is told what was committed */
    SharedWrites(
            UninterruptibleExecutor executor,
            TransactionRunner transactions,
            String clock,
            Consumer<Collection<Change>> tell) {
        this.executor = executor;
        this.transactions = transactions;
        this.clock = clock;
        this.tell = tell;
    }

    /** Those who write to one process, and how many there are. */
    private record Group(GroupCommit<Job<?>> commits, int callers) {}

    /** One write, and how it went. Used by the leader, and then by its caller. */
    private static final class Job<T> {
        private final Optional<String> replayKey;
        private final ProcessStore.Work<T> work;
        private List<Change> changes = List.of();
        private Optional<RuntimeException> failure = Optional.empty();
        private @Nullable T result;

        Job(Optional<String> replayKey, ProcessStore.Work<T> work) {
            this.replayKey = replayKey;
            this.work = work;
        }

        /** @return false if it was refused after it had written something, and so all has to be undone */
        boolean run(PostgresTransaction transaction) {
            failure = Optional.empty();
            changes = List.of();
            int told = transaction.changes().size();
            long written = transaction.written();
            try {
                result = work.run(transaction);
                changes = List.copyOf(transaction
                        .changes()
                        .subList(told, transaction.changes().size()));
                return true;
            } catch (ProcessException refused) {
                fail(refused);
                return transaction.written() == written;
            }
        }

        void fail(RuntimeException why) {
            failure = Optional.of(why);
            changes = List.of();
        }

        @SuppressWarnings("NullAway") // Null only if the work returned null.
        T outcome() {
            failure.ifPresent(why -> {
                throw why;
            });
            return result;
        }
    }

    /** Undoes a transaction whose work is to be done one by one. */
    private static final class Undone extends RuntimeException {
        Undone() {
            super("to be done one by one", null, false, false);
        }
    }

    <T> T run(String processId, Optional<String> replayKey, ProcessStore.Work<T> work) {
        Job<T> job = new Job<>(replayKey, work);
        Group group = groups.compute(
                processId,
                (_, there) -> there == null
                        ? new Group(new GroupCommit<>(new Batch()), 1)
                        : new Group(there.commits(), there.callers() + 1));
        try {
            group.commits().run(job);
        } finally {
            groups.computeIfPresent(
                    processId,
                    (_, there) -> there.callers() == 1 ? null : new Group(there.commits(), there.callers() - 1));
        }
        return job.outcome();
    }

    private final class Batch implements GroupCommit.Batch<Job<?>> {
        @Override
        public void run(List<Job<?>> jobs) {
            if (jobs.size() == 1 || !together(jobs)) {
                jobs.forEach(SharedWrites.this::alone);
            }
        }

        @Override
        public void tell(List<Job<?>> jobs) {
            List<Change> changes = new ArrayList<>();
            jobs.forEach(job -> changes.addAll(job.changes));
            if (!changes.isEmpty()) {
                tell.accept(changes);
            }
        }
    }

    /** @return false if nothing was written, and each has to be run by itself */
    private boolean together(List<Job<?>> jobs) {
        AtomicBoolean committing = new AtomicBoolean();
        try {
            return executor.call(
                    () -> transactions.writing(statements -> {
                        committing.set(false);
                        PostgresTransaction transaction = transaction(statements, jobs);
                        for (Job<?> job : jobs) {
                            if (!job.run(transaction)) {
                                throw new Undone();
                            }
                        }
                        statements.run();
                        committing.set(true);
                        return true;
                    }),
                    Deadline.none());
        } catch (RuntimeException failed) {
            if (!committing.get()) {
                // What one does wrong must not be the others' failure.
                return false;
            }
            jobs.forEach(job -> job.fail(failed));
            return true;
        }
    }

    private PostgresTransaction transaction(Statements statements, List<Job<?>> jobs) {
        Set<String> replayKeys =
                jobs.stream().flatMap(job -> job.replayKey.stream()).collect(Collectors.toSet());
        return new PostgresTransaction(statements, clock, replayKeys);
    }

    private void alone(Job<?> job) {
        try {
            var _ = executor.call(
                    () -> transactions.writing(statements -> {
                        if (!job.run(transaction(statements, List.of(job)))) {
                            throw new Undone();
                        }
                        return true;
                    }),
                    Deadline.none());
        } catch (Undone refused) {
            // The job knows what for.
        } catch (RuntimeException failed) {
            job.fail(failed);
        }
    }
}
