package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.linux.LockFile;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.record.SweepRow;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Halts a sandbox in its memory, and lets it go on. What is so already stays so.
 *
 * <p>The record and the guest change one after the other, so {@code pause.lock} is held for both: a sweep that halts what is
 * recorded as paused never halts what is just being resumed, and a process that dies in between leaves a sandbox that is
 * recorded as paused and runs, never the other way round.
 */
public record SandboxPause(SandboxContext context, SandboxConnections connections, SandboxRecord record) {
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(10);

    /**
     * Checks that it can be paused or resumed.
     *
     * @throws SandboxException.NotRunning if it neither runs nor is paused
     */
    public SandboxPause {
        requireLive(record.name(), record.status());
    }

    private static void requireLive(String name, SandboxStatus status) {
        if (status != SandboxStatus.RUNNING && status != SandboxStatus.PAUSED) {
            throw new SandboxException.NotRunning(name, status);
        }
    }

    /**
     * Records it as paused, then halts its guest.
     *
     * @throws SandboxException.Owned if another process halts or resumes it up to the deadline
     */
    public void begin(Deadline deadline) {
        var _ = inTurn(deadline, () -> {
            halt(deadline);
            return true;
        });
    }

    /**
     * Ends a pause, also that of a sandbox which is halted because the host's disk has failed: it tries again.
     *
     * @throws SandboxException.Owned if another process halts or resumes it up to the deadline
     */
    public void end(Deadline deadline) {
        if (inTurn(deadline, () -> resume(deadline))) {
            setClock(deadline.orAfter(ANSWER_LIMIT));
        }
    }

    private <T> T inTurn(Deadline deadline, Supplier<T> change) {
        try (LockFile _ = context.locks()
                .directory(record)
                .lockPause(deadline)
                .orElseThrow(() -> new SandboxException.Owned(record.name()))) {
            return change.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException.Interrupted(record.name());
        }
    }

    /** Recorded first: should this process die in between, a sweep halts the guest. */
    private void halt(Deadline deadline) {
        boolean mine = context.store().move(record.id(), SandboxStatus.RUNNING, SandboxStatus.PAUSED);
        if (!mine && status() != SandboxStatus.PAUSED) {
            throw new SandboxException.NotRunning(record.name(), status());
        }
        try {
            change(() -> context.vms().pause(vm(), deadline));
        } catch (Throwable failure) {
            if (mine) {
                Uninterrupted.after(failure, this::takeBack);
            }
            throw failure;
        }
        if (!isToBeHalted(context, record.id(), vm())) {
            change(() -> context.vms().resume(vm(), deadline));
        }
    }

    /** QEMU may have halted the guest and not said so in time. */
    private void takeBack() {
        context.vms().resume(vm(), Deadline.after(ANSWER_LIMIT));
        context.store().move(record.id(), SandboxStatus.PAUSED, SandboxStatus.RUNNING);
    }

    /**
     * Says whether it is still to be halted: a process that ends it asks for that without this lock, and wants to speak
     * to its guest.
     */
    private static boolean isToBeHalted(SandboxContext context, long id, VmId vm) {
        return context.store()
                .byId(id)
                .filter(now -> now.status() == SandboxStatus.PAUSED)
                .filter(now -> CrashDetection.asked(now).isEmpty())
                .filter(now -> SandboxTerminator.vmOf(now).equals(vm))
                .isPresent();
    }

    private VmId vm() {
        return SandboxTerminator.vmOf(record);
    }

    private SandboxStatus status() {
        return context.store().byId(record.id()).map(SandboxRecord::status).orElse(SandboxStatus.STOPPED);
    }

    /** @return whether it was paused */
    private boolean resume(Deadline deadline) {
        SandboxStatus now = status();
        requireLive(record.name(), now);
        if (now == SandboxStatus.PAUSED) {
            change(() -> context.vms().resume(vm(), deadline));
            return context.store().move(record.id(), SandboxStatus.PAUSED, SandboxStatus.RUNNING);
        }
        Optional<VmHindrance> hindrance = context.vms().hindrance(vm());
        if (hindrance.filter(why -> why == VmHindrance.HELD).isPresent()) {
            throw new VmException.Hindered(vm(), VmHindrance.HELD);
        }
        if (hindrance.isPresent()) {
            change(() -> context.vms().resume(vm(), deadline));
        }
        return false;
    }

    /**
     * Has a guest go on whose end was asked for; halted or not. Waits for a moment for the process that is halting it.
     *
     * @throws SandboxException.Interrupted if this thread is interrupted
     */
    static void release(SandboxContext context, SandboxRecord record, Deadline deadline) {
        Deadline patience = deadline.orAfter(ANSWER_LIMIT);
        Optional<LockFile> lock = Optional.empty();
        try {
            lock = context.locks().directory(record).lockPause(patience);
            context.vms().resume(SandboxTerminator.vmOf(record), patience);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SandboxException.Interrupted(record.name());
        } finally {
            lock.ifPresent(LockFile::close);
        }
    }

    /** Halts the guest of a sandbox that is recorded as paused, unless a process is just halting or resuming it. */
    public static void restore(SandboxContext context, SweepRow row, Deadline deadline) {
        VmId vm = row.run().orElseThrow().vm();
        // Waits neither for the process that has the lock, nor for a QEMU of which it is known that it does not answer.
        if (context.vms().hindrance(vm).filter(why -> why == VmHindrance.SILENT).isPresent()) {
            return;
        }
        try (LockFile lock = context.locks()
                .directory(row.directory())
                .lockPause(Deadline.after(Duration.ZERO))
                .orElse(null)) {
            if (lock != null && isToBeHalted(context, row.id(), vm)) {
                context.vms().pause(vm, deadline);
                if (!isToBeHalted(context, row.id(), vm)) {
                    context.vms().resume(vm, Deadline.after(ANSWER_LIMIT));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (VmException.NotFound | VmException.WrongState ended) {
            // The next sweep says how.
        }
    }

    private void change(Runnable change) {
        try {
            change.run();
        } catch (VmException.NotFound | VmException.WrongState over) {
            throw connections.meaning(over, record);
        }
    }

    /** A guest's clock stands still while it is halted. */
    private void setClock(Deadline deadline) {
        try (Vm vm = context.vms().connect(SandboxTerminator.vmOf(record), deadline)) {
            vm.guest()
                    .beginConfigure(
                            GuestIdentity.UNCHANGED.withClock(context.clock().instant()), deadline)
                    .await();
        } catch (ClocheException late) {
            System.getLogger(SandboxPause.class.getName())
                    .log(System.Logger.Level.WARNING, "the clock of sandbox " + record.name() + " is late", late);
        }
    }
}
