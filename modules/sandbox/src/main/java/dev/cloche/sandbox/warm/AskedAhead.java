package dev.cloche.sandbox.warm;

import dev.cloche.pool.Acquisition;
import dev.cloche.pool.StackKey;
import dev.cloche.sandbox.record.PoolRow;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

/**
 * Has a thread find the pool of a start and adopt a VM of it, while the sandbox is recorded. Closing it gives back what was not
 * taken. Used by the thread of the start.
 */
public final class AskedAhead implements AutoCloseable {
    private final CompletableFuture<Answer> answer = new CompletableFuture<>();
    private final Thread thread;

    /** Says what there is: nothing where it could not be asked, so that the start asks by itself, and fails as it does. */
    record Answer(Optional<PoolRow> pool, Optional<Acquisition> acquisition) {
        static final Answer NOTHING = new Answer(Optional.empty(), Optional.empty());

        /** Returns the acquisition if it is of this key: the image may have got another version. */
        Optional<Acquisition> of(StackKey key) {
            return acquisition.filter(each -> each.key().equals(key));
        }
    }

    AskedAhead(Supplier<Answer> asking) {
        thread = Thread.ofVirtual().name("pool-asked").start(() -> {
            Answer found = Answer.NOTHING;
            try {
                found = asking.get();
            } catch (RuntimeException untold) {
                // The start finds it out by itself.
            } finally {
                answer.complete(found);
            }
        });
    }

    /** Waits for the answer; an interrupt ends what the thread waits for, and stays set. */
    Answer await() {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            thread.interrupt();
            try {
                return answer.join();
            } finally {
                Thread.currentThread().interrupt();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("answers do not fail", e);
        }
    }

    @Override
    public void close() {
        await().acquisition().ifPresent(Acquisition::close);
    }
}
