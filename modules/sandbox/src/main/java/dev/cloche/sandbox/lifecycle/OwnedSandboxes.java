package dev.cloche.sandbox.lifecycle;

import dev.cloche.sandbox.MainCommand;
import dev.cloche.sandbox.RunningSandbox;
import dev.cloche.sandbox.SandboxEvents;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmHindrance;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Holds the sandboxes that this process owns: those that end with it, and the detached ones if it keeps them. */
public final class OwnedSandboxes implements AutoCloseable {
    private final SandboxContext context;
    private final SandboxTerminator terminator;
    private final SandboxEvents events;
    private final OwnerSuspension suspension;
    /** Those that end with this process, by their rows' ids. */
    private final Map<Long, RunningSandbox> attached = new ConcurrentHashMap<>();

    private volatile @Nullable SandboxSupervisor supervisor;

    public OwnedSandboxes(
            SandboxContext context, SandboxTerminator terminator, SandboxEvents events, Suspending suspending) {
        this.context = context;
        this.terminator = terminator;
        this.events = events;
        suspension = new OwnerSuspension(suspending, this::vmOf);
    }

    /** Keeps the detached ones from now on. */
    public void keep() {
        SandboxSupervisor mine = new SandboxSupervisor(context, terminator, suspension, events);
        supervisor = mine;
        mine.start();
    }

    /** Returns the VM of a sandbox that this process owns. */
    public Optional<Vm> vmOf(long sandbox) {
        return Optional.ofNullable(supervisor)
                .flatMap(mine -> mine.vmOf(sandbox))
                .or(() -> Optional.ofNullable(attached.get(sandbox)).flatMap(RunningSandbox::ownVm));
    }

    /** Says what has become of a sandbox that its guard had halted at its deadline. */
    public enum Held {
        SUSPENDED,
        /** It could not be suspended, and is halted as before. */
        RESISTS,
        /** It has ended or goes on, or another process has it in hand. */
        LEFT
    }

    /** Suspends one that its guard has halted at its deadline, because no process was there that did it before. */
    public Held suspendHeld(long id) {
        Optional<SandboxRecord> held = context.store()
                .byId(id)
                .filter(SandboxRecord::isLive)
                .filter(record -> record.policies().isSuspendedAtDeadline());
        if (held.isEmpty()) {
            return Held.LEFT;
        }
        if (suspension.suspend(held.get(), true)) {
            return Held.SUSPENDED;
        }
        return context.store().byId(id).filter(this::isHeld).isPresent() ? Held.RESISTS : Held.LEFT;
    }

    private boolean isHeld(SandboxRecord record) {
        return (record.status() == SandboxStatus.RUNNING || record.status() == SandboxStatus.PAUSED)
                && context.vms()
                        .hindrance(SandboxTerminator.vmOf(record))
                        .filter(why -> why == VmHindrance.HELD)
                        .isPresent();
    }

    /** Takes one that is to end with this process. */
    public RunningSandbox own(SandboxStart.Started started, MainCommand main) {
        long id = started.record().id();
        SandboxOwnership ownership =
                new SandboxOwnership(context, terminator, suspension, started, main, () -> attached.remove(id));
        RunningSandbox sandbox = RunningSandbox.owned(context, terminator, started, ownership);
        attached.put(id, sandbox);
        ownership.watch();
        return sandbox;
    }

    /** Takes one that is detached: it is kept by a process that is there to stay, and otherwise let go of. */
    public SandboxRecord letRun(SandboxStart.Started started) {
        return letRun(started.record(), started.vm(), started.lock());
    }

    /** Takes a detached one that goes on. */
    public SandboxRecord letRun(SandboxRecord record, Vm vm, OwnerLock lock) {
        SandboxSupervisor mine = supervisor;
        if (mine != null) {
            mine.keep(record, vm, lock);
        } else {
            vm.close();
            lock.close();
        }
        return record;
    }

    /** Ends those that are attached, and lets go of the others. All are tried; the first failure is thrown. */
    @Override
    public void close() {
        Optional<RuntimeException> first = Optional.empty();
        for (RunningSandbox sandbox : attached.values()) {
            try {
                sandbox.close();
            } catch (RuntimeException e) {
                first.ifPresent(earlier -> earlier.addSuppressed(e));
                first = first.or(() -> Optional.of(e));
            }
        }
        SandboxSupervisor mine = supervisor;
        if (mine != null) {
            mine.close();
        }
        first.ifPresent(failure -> {
            throw failure;
        });
    }
}
