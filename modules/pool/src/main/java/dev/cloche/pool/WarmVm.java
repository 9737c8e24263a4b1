package dev.cloche.pool;

import dev.cloche.base.Deadline;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Holds a VM that was handed out: it runs, has acknowledged its identity, and is its acquirer's alone; the pool has
 * forgotten it. It is attached to this process until it is detached. Safe for use from several threads.
 */
public final class WarmVm implements AutoCloseable {
    private static final Duration KILL_LIMIT = Duration.ofSeconds(10);

    private final Vm vm;
    private final PoolStartKind kind;
    private final Duration took;
    private final AtomicBoolean taken = new AtomicBoolean();

    WarmVm(Vm vm, PoolStartKind kind, Duration took) {
        this.vm = vm;
        this.kind = kind;
        this.took = took;
    }

    public VmId id() {
        return vm.id();
    }

    public PoolStartKind kind() {
        return kind;
    }

    /** Returns how long the acquirer waited. */
    public Duration took() {
        return took;
    }

    /**
     * Returns the VM, once; closing and destroying it is the caller's from now on.
     *
     * @throws PoolException.Taken if it was taken before, or this handle is closed
     */
    public Vm take() {
        if (!taken.compareAndSet(false, true)) {
            throw new PoolException.Taken();
        }
        return vm;
    }

    /** Ends and removes the VM if it was not taken. */
    @Override
    public void close() {
        if (taken.compareAndSet(false, true)) {
            // In this order: a lock that was let go of may be held for a moment by a child that is just being forked.
            if (vm.state().live()) {
                var _ = vm.kill(Deadline.after(KILL_LIMIT));
            }
            vm.destroy();
            vm.close();
        }
    }
}
