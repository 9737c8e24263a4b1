package dev.cloche.sandbox.lifecycle;

import dev.cloche.sandbox.SandboxEvent;
import dev.cloche.sandbox.SandboxEvents;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.vm.Vm;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Owns the detached sandboxes that no other process owns, for a runtime that is there to stay: sees their ends, acts on their
 * idle timeouts, and starts them again where their policy says so. What begins later is learnt from the events, and the death
 * of another keeper from its locks.
 *
 * <p>A sandbox has one owner, because its lock has one holder; the others use it through client ports.
 */
final class SandboxSupervisor implements AutoCloseable {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    private static final Set<SandboxEvent.Kind> WORTH_A_LOOK = EnumSet.of(
            SandboxEvent.Kind.RUNNING,
            SandboxEvent.Kind.DETACHED,
            SandboxEvent.Kind.STOPPED,
            SandboxEvent.Kind.CRASHED);

    private final SandboxContext context;
    private final SandboxTerminator terminator;
    private final OwnerSuspension suspension;
    private final SandboxEvents events;
    private final Thread listener = Thread.ofVirtual().name("sandbox-keeper").unstarted(this::listen);
    /** By the id of the sandbox: what is being done about it. */
    private final Map<Long, KeptSandboxLoop> tended = new ConcurrentHashMap<>();

    private final ReentrantLock changing = new ReentrantLock();
    private boolean closed;

    SandboxSupervisor(
            SandboxContext context, SandboxTerminator terminator, OwnerSuspension suspension, SandboxEvents events) {
        this.context = context;
        this.terminator = terminator;
        this.suspension = suspension;
        this.events = events;
    }

    /** Takes over what there is, and what will be, on threads of its own. */
    void start() {
        listener.start();
    }

    private void listen() {
        try (SandboxEvents.Stream stream = events.from(Optional.empty())) {
            context.store().unkept().forEach(this::look);
            while (true) {
                SandboxEvent event = stream.next();
                if (WORTH_A_LOOK.contains(event.kind())) {
                    context.store().byId(event.sandboxId()).ifPresent(this::look);
                }
            }
        } catch (InterruptedException closing) {
            // This runtime closes.
        } catch (RuntimeException failed) {
            if (!isClosed()) {
                System.getLogger(SandboxSupervisor.class.getName())
                        .log(System.Logger.Level.WARNING, "no process keeps sandboxes that begin from now on", failed);
            }
        }
    }

    private void look(SandboxRecord record) {
        changing.lock();
        try {
            KeptSandboxLoop busy = tended.get(record.id());
            if (busy != null) {
                busy.lookAgain();
            } else if (!closed && KeptSandboxLoop.isWanted(record)) {
                begin(new KeptSandboxLoop(context, terminator, suspension, record, this::leave));
            }
        } finally {
            changing.unlock();
        }
    }

    /** Owns a detached sandbox that was started here. */
    void keep(SandboxRecord record, Vm vm, OwnerLock lock) {
        KeptSandbox sandbox = new KeptSandbox(context, terminator, suspension, record, vm, lock);
        changing.lock();
        try {
            if (closed) {
                sandbox.close();
                return;
            }
            // It may be waiting for the lock that is held here.
            KeptSandboxLoop before = tended.get(record.id());
            begin(new KeptSandboxLoop(context, terminator, suspension, record, this::leave).with(sandbox));
            if (before != null) {
                before.cancel();
            }
        } finally {
            changing.unlock();
        }
    }

    /** Returns the VM of a sandbox that this keeps. */
    Optional<Vm> vmOf(long id) {
        return Optional.ofNullable(tended.get(id)).flatMap(KeptSandboxLoop::vm);
    }

    private void begin(KeptSandboxLoop loop) {
        tended.put(loop.id(), loop);
        loop.start();
    }

    /**
     * Ends a loop that has nothing more to do.
     *
     * @return false if there is something new to be looked at
     */
    private boolean leave(KeptSandboxLoop loop) {
        changing.lock();
        try {
            if (loop.isToLookAgain()) {
                return false;
            }
            tended.remove(loop.id(), loop);
            return true;
        } finally {
            changing.unlock();
        }
    }

    private boolean isClosed() {
        changing.lock();
        try {
            return closed;
        } finally {
            changing.unlock();
        }
    }

    /** Lets go of all: they run on. */
    @Override
    public void close() {
        changing.lock();
        try {
            closed = true;
        } finally {
            changing.unlock();
        }
        listener.interrupt();
        tended.values().forEach(KeptSandboxLoop::cancel);
        try {
            listener.join(CLOSE_LIMIT);
            for (KeptSandboxLoop each : tended.values()) {
                each.join(CLOSE_LIMIT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
