package dev.cloche.sandbox.lifecycle;

import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.vm.Vm;
import java.util.concurrent.locks.ReentrantLock;

/** Holds a detached sandbox that this process owns. */
final class KeptSandbox implements AutoCloseable {
    private final SandboxTerminator terminator;
    private final SandboxRecord record;
    private final Vm vm;
    private final OwnerLock lock;
    private final OwnerWatches watches;
    private final ReentrantLock closing = new ReentrantLock();
    private boolean closed;

    KeptSandbox(
            SandboxContext context,
            SandboxTerminator terminator,
            OwnerSuspension suspension,
            SandboxRecord record,
            Vm vm,
            OwnerLock lock) {
        this.terminator = terminator;
        this.record = record;
        this.vm = vm;
        this.lock = lock;
        watches = OwnerWatches.start(context, terminator, suspension, record);
    }

    /** Returns its VM, as its owner has it. */
    Vm vm() {
        return vm;
    }

    /** Waits for the end, records it, and removes the sandbox if it is ephemeral. */
    void awaitEnd() {
        terminator.awaitEnd(record, vm);
        closing.lock();
        try {
            if (!closed) {
                vm.close();
                terminator.observed(record.id());
                terminator.cleanUnder(lock, record.id());
            }
        } finally {
            closing.unlock();
        }
    }

    /** Lets go of it; it runs on. */
    @Override
    public void close() {
        closing.lock();
        try {
            if (!closed) {
                closed = true;
                watches.close();
                vm.close();
                lock.close();
            }
        } finally {
            closing.unlock();
        }
    }
}
