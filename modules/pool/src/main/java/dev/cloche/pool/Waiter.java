package dev.cloche.pool;

import java.util.concurrent.CompletableFuture;

/** Somebody who wants a VM of a key. What it is granted is granted once. */
final class Waiter {
    /** What a waiter gets. */
    sealed interface Grant {
        /** An entry, leased. */
        record Ready(PoolEntry entry, StartKind kind) implements Grant {}

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

    StackKey key() {
        return key;
    }

    /** Of asking; who has the lower one is served first. */
    long order() {
        return order;
    }

    long since() {
        return since;
    }

    /** Of the present round; used by the acquirer and under the pool's lock. */
    synchronized CompletableFuture<Grant> grant() {
        return grant;
    }

    /** What it was granted was of no use. */
    synchronized void again() {
        grant = new CompletableFuture<>();
    }
}
