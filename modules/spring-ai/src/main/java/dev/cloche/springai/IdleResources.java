package dev.cloche.springai;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A resource for each key, made at its first use and closed when it was idle for long enough. Thread-safe: uses of one key run
 * side by side.
 */
final class IdleResources<T extends AutoCloseable> implements AutoCloseable {
    private final Supplier<T> maker;
    private final Predicate<T> alive;
    private final Duration idle;
    private final InstantSource clock;
    /** Guarded by this. */
    private final Map<String, Entry> entries = new HashMap<>();
    /** Guarded by this. */
    private boolean closed;

    /** @param alive whether a resource can still be used, so that no new one is needed */
    IdleResources(Supplier<T> maker, Predicate<T> alive, Duration idle, InstantSource clock) {
        this.maker = maker;
        this.alive = alive;
        this.idle = idle;
        this.clock = clock;
    }

    <R> R use(String key, Function<T, R> work) {
        while (true) {
            Entry entry = enter(key);
            try {
                Optional<T> resource = entry.resource();
                if (resource.isPresent()) {
                    return work.apply(resource.get());
                }
            } finally {
                leave(key, entry);
            }
        }
    }

    private synchronized Entry enter(String key) {
        if (closed) {
            throw new ConversationException.Closed();
        }
        Entry entry = entries.computeIfAbsent(key, missing -> new Entry());
        entry.users++;
        return entry;
    }

    private synchronized void leave(String key, Entry entry) {
        entry.users--;
        entry.lastUse = clock.instant();
        if (entry.users == 0 && entry.isEmpty()) {
            entries.remove(key, entry);
        }
    }

    /** Closes what was idle for long enough. */
    void closeIdle() {
        List<Entry> ended = new ArrayList<>();
        synchronized (this) {
            Instant latest = clock.instant().minus(idle);
            for (Iterator<Entry> all = entries.values().iterator(); all.hasNext(); ) {
                Entry entry = all.next();
                if (entry.users == 0 && !entry.lastUse.isAfter(latest)) {
                    all.remove();
                    ended.add(entry);
                }
            }
        }
        closeAll(ended);
    }

    /** Closes that of a key, if there is one, also while it is in use. */
    void end(String key) {
        @Nullable Entry ended;
        synchronized (this) {
            ended = entries.remove(key);
        }
        if (ended != null) {
            closeAll(List.of(ended));
        }
    }

    @Override
    public void close() {
        List<Entry> ended;
        synchronized (this) {
            closed = true;
            ended = List.copyOf(entries.values());
            entries.clear();
        }
        closeAll(ended);
    }

    private void closeAll(List<Entry> ended) {
        @Nullable RuntimeException failure = null;
        for (Entry entry : ended) {
            try {
                entry.close();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** One key's. Its own lock is held while its resource is made or closed, and no other key waits for that. */
    private final class Entry {
        /** Guarded by the lock of the table. */
        private int users;
        /** Guarded by the lock of the table. */
        private Instant lastUse = clock.instant();
        /** Changed under the lock of this. */
        private volatile @Nullable T resource;
        /** Guarded by this. */
        private boolean ended;

        /** Returns the resource, made if need be; empty if it has been ended meanwhile, so that the key has a new entry. */
        synchronized Optional<T> resource() {
            if (ended) {
                return Optional.empty();
            }
            T present = resource;
            if (present != null && !alive.test(present)) {
                resource = null;
                close(present);
                present = null;
            }
            if (present == null) {
                present = maker.get();
                resource = present;
            }
            return Optional.of(present);
        }

        boolean isEmpty() {
            return resource == null;
        }

        synchronized void close() {
            ended = true;
            T present = resource;
            resource = null;
            if (present != null) {
                close(present);
            }
        }

        private void close(T closing) {
            try {
                closing.close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
