package dev.cloche.pool.core;

import dev.cloche.pool.PoolException;
import dev.cloche.pool.PoolStartKind;
import dev.cloche.pool.StackKey;
import java.util.concurrent.CompletableFuture;

/** Waits for a VM of a key, on behalf of an acquirer. What it is granted is granted once. */
public final class Waiter {
    /** Says what a waiter gets. */
    public sealed interface Grant {
        /** An entry, leased. */
        record Ready(PoolEntry entry, PoolStartKind kind) implements Grant {}

        record Failed(PoolException why) implements Grant {}
    }

    private final StackKey key;
    private final long order;
    private final long since;
    private CompletableFuture<Grant> grant = new CompletableFuture<>();

    Waiter(StackKey key, long order, long since) {
        this.key = key;
        this.order = order;
        this.since = since;
    }

    public StackKey key() {
        return key;
    }

    /** Returns its place in the order of asking; the waiter with the lower number is served first. */
    long order() {
        return order;
    }

    long since() {
        return since;
    }

    /** Returns the grant of the present round; used by the acquirer and under the pool's lock. */
    public synchronized CompletableFuture<Grant> grant() {
        return grant;
    }

    /** Begins another round, because what it was granted was of no use. */
    synchronized void again() {
        grant = new CompletableFuture<>();
    }
}
