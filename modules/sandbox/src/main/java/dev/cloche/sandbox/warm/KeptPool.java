package dev.cloche.sandbox.warm;

import dev.cloche.base.ClocheException;
import dev.cloche.image.PullListener;
import dev.cloche.linux.LockFile;
import dev.cloche.pool.Registration;
import dev.cloche.pool.StackKey;
import dev.cloche.pool.WarmPool;
import dev.cloche.sandbox.SandboxPools;
import dev.cloche.sandbox.record.PoolRow;
import dev.cloche.sandbox.record.PoolStore;
import java.time.Duration;
import java.util.Optional;

/**
 * Keeps one pool in a process that is there to stay: registered as it is recorded, with what its VMs come from at
 * present.
 */
final class KeptPool {
    private final long id;
    private final PoolSources sources;
    private final PoolPreparations preparations;
    private final PoolStore store;
    private final PoolSignal signal;
    private final WarmPool pool;
    /** Told when the lookup has found something else. */
    private final Runnable changed;

    private Optional<Thread> lookup = Optional.empty();
    private Optional<Long> lookAgainAt = Optional.empty();
    private Optional<PoolSources.Source> found = Optional.empty();
    private Optional<Registered> registered = Optional.empty();
    private Optional<LockFile> lock = Optional.empty();

    private Optional<String> lookedFor = Optional.empty();
    /** That it is registered under; read without the lock. */
    private volatile Optional<StackKey> registeredKey = Optional.empty();

    private volatile boolean keeps;

    private record Registered(StackKey key, Registration registration) {}

    KeptPool(
            long id,
            PoolSources sources,
            PoolPreparations preparations,
            PoolStore store,
            PoolSignal signal,
            WarmPool pool,
            Runnable changed) {
        this.id = id;
        this.sources = sources;
        this.preparations = preparations;
        this.store = store;
        this.signal = signal;
        this.pool = pool;
        this.changed = changed;
    }

    /**
     * Registers it as it is recorded. What its VMs come from is looked for by a thread of its own, because that may take minutes.
     *
     * @param again how long what was found is believed, and how long a failure rests
     */
    synchronized void follow(PoolRow row, Duration again) {
        String version = row.policy().version("");
        if (!lookedFor.equals(Optional.of(version))) {
            // What its VMs are of has changed; until that is found, the pool is kept as it was.
            lookedFor = Optional.of(version);
            lookAgainAt = Optional.empty();
            found = Optional.empty();
        }
        if (lookup.isEmpty()
                && lookAgainAt.filter(at -> System.nanoTime() - at < 0).isEmpty()) {
            lookAgainAt = Optional.of(System.nanoTime() + again.toNanos());
            lookup = Optional.of(Thread.ofVirtual().name("pool-lookup-" + id).start(() -> look(row, again)));
        }
        if (found.isEmpty()) {
            return;
        }
        PoolSources.Source source = found.get();
        Optional<Registration> how = preparations.registration(row, source);
        if (how.isEmpty()) {
            // Another process has the functions that prepare its VMs.
            leave();
            return;
        }
        if (lock.isEmpty()) {
            lock = signal.tryKeep(id);
        }
        Registered wanted = new Registered(source.key(), how.get().withKeeps(lock.isPresent()));
        if (!registered.equals(Optional.of(wanted))) {
            registered
                    .map(Registered::key)
                    .filter(key -> !key.equals(wanted.key()))
                    .ifPresent(pool::unregister);
            registeredKey = Optional.of(wanted.key());
            keeps = lock.isPresent();
            pool.register(wanted.key(), wanted.registration());
            registered = Optional.of(wanted);
        }
    }

    /** What its VMs come from may be something else: it is looked for by the next following. */
    synchronized void doubt() {
        lookAgainAt = Optional.empty();
    }

    /** Waits for nothing. */
    boolean has(StackKey key) {
        return registeredKey.filter(key::equals).isPresent();
    }

    /** Says whether this process keeps its depth; waits for nothing. */
    boolean keeps() {
        return keeps;
    }

    private void look(PoolRow row, Duration again) {
        try {
            PoolSources.Source source = sources.of(row, PullListener.none());
            synchronized (this) {
                if (lookedFor.equals(Optional.of(row.policy().version("")))) {
                    found = Optional.of(source);
                } else {
                    lookAgainAt = Optional.empty();
                }
            }
        } catch (ClocheException e) {
            store.failed(id, e.sentence(), again);
            warn(row.shape().subject(), e.sentence());
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        } finally {
            synchronized (this) {
                lookup = Optional.empty();
            }
            changed.run();
        }
    }

    private void leave() {
        registeredKey = Optional.empty();
        keeps = false;
        registered.ifPresent(known -> pool.unregister(known.key()));
        registered = Optional.empty();
        lock.ifPresent(LockFile::close);
        lock = Optional.empty();
    }

    /** Stops keeping it, for it is not recorded any more. */
    synchronized void removed() {
        leave();
        end();
    }

    /** Stops keeping it, for this process ends; what is on the shelf stays there. */
    synchronized void end() {
        lookup.ifPresent(Thread::interrupt);
        lock.ifPresent(LockFile::close);
        lock = Optional.empty();
    }

    /** Waits for the lookup, whose VM is to be gone before its provider is closed. */
    void awaitEnd(Duration limit) throws InterruptedException {
        Optional<Thread> last;
        synchronized (this) {
            last = lookup;
        }
        if (last.isPresent()) {
            var _ = last.get().join(limit);
        }
    }

    static void warn(String pool, String why) {
        System.getLogger(SandboxPools.class.getName())
                .log(System.Logger.Level.WARNING, () -> "no VM was made for the pool of " + pool + ": " + why);
    }
}
