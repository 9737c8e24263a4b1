package dev.cloche.bench.probe;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.Sandbox;
import dev.cloche.pool.PoolEvent;
import dev.cloche.sandbox.StartKind;
import dev.cloche.sandbox.TemplateMaking;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Starts far more sandboxes at once than their pool has VMs, as an application does. */
public final class SandboxBurst implements AutoCloseable {
    private static final int MEMORY = 256;

    private final FullPool full = new FullPool();
    private final Cloche cloche;
    /** Milliseconds of starts that found a VM ready, and of those that waited or were made without the pool. */
    public final List<Double> ready = new ArrayList<>();

    public final List<Double> waited = new ArrayList<>();
    /** Milliseconds from the need for a VM to the beginning of its restore. */
    public final Queue<Double> refills = new ConcurrentLinkedQueue<>();

    public SandboxBurst(ClocheOptions options, int depth) {
        cloche = Cloche.open(options.withTemplateMaking(new TemplateMaking.InBackground())
                .withPoolListener(event -> {
                    full.happened(event);
                    if (event instanceof PoolEvent.Restored made) {
                        refills.add(made.lag().minus(made.took()).toNanos() / 1e6);
                    }
                }));
        cloche.pools().pool("base").memoryMib(MEMORY).depth(depth).set();
    }

    private record Started(String vm, StartKind kind, double millis) {}

    /**
     * Has one burst served.
     *
     * @throws IllegalStateException if one was not, or two got one sandbox
     */
    public void run(int starters) throws InterruptedException, ExecutionException {
        full.await(cloche);
        refills.clear();
        CountDownLatch go = new CountDownLatch(1);
        List<Future<Started>> starting = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < starters; i++) {
                starting.add(threads.submit(() -> {
                    go.await();
                    return start();
                }));
            }
            go.countDown();
        }
        Set<String> seen = new HashSet<>();
        for (Future<Started> one : starting) {
            Started started = one.get();
            if (!seen.add(started.vm())) {
                throw new IllegalStateException("handed out twice: " + started.vm());
            }
            (started.kind() == StartKind.WARM ? ready : waited).add(started.millis());
        }
    }

    private Started start() {
        long begin = System.nanoTime();
        try (Sandbox sandbox = cloche.sandbox("base").memoryMib(MEMORY).start()) {
            double millis = (System.nanoTime() - begin) / 1e6;
            return new Started(
                    sandbox.name(), sandbox.startTimings().orElseThrow().kind(), millis);
        }
    }

    /** @throws IllegalStateException if sandboxes are left, or VMs beside those of the pool */
    @Override
    public void close() {
        try {
            full.await(cloche);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        int left = cloche.sandboxes().list().size();
        cloche.pools().pool("base").memoryMib(MEMORY).remove();
        cloche.close();
        if (left > 0) {
            throw new IllegalStateException(left + " sandboxes are left");
        }
    }
}
