package dev.cloche.vmm;

import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.vm.Guest;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.TakenSnapshot;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmState;
import dev.cloche.vmm.channel.GuestConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Takes snapshots of a VM that this process owns: decides when its guest is halted, and sees to it that the guest goes on
 * after every failure.
 */
final class SnapshotTaker {
    private static final Duration LONGEST_GO_ON = Duration.ofMinutes(2);
    /** The guest thaws by itself then. */
    private static final Duration LONGEST_FLUSH = Duration.ofMinutes(1);

    private final VmId id;
    private final VmBackend backend;
    private final VmHandleState life;
    private final GuestIdentities identities;
    /** By the monotonic clock; of the one who takes a snapshot now. */
    private long haltedAt;

    SnapshotTaker(VmId id, VmBackend backend, VmHandleState life, GuestIdentities identities) {
        this.id = id;
        this.backend = backend;
        this.life = life;
        this.identities = identities;
    }

    /**
     * Takes one of a VM that goes on, unless it was halted before.
     *
     * @throws VmException.WrongState if it has no guest
     * @throws VmException.Hindered if the host's disk has failed, or QEMU is silent
     */
    TakenSnapshot ofOneThatGoesOn(SnapshotName name, Deadline deadline) {
        var _ = life.live("be snapshot");
        requireUnhindered();
        try (SnapshotCapture capture = backend.capture(name, deadline)) {
            boolean halted = halted(() -> capture.take(deadline), deadline);
            Duration pause = Duration.ZERO;
            if (halted) {
                pause = goOn(deadline);
            }
            return new TakenSnapshot(capture.publish(), pause);
        }
    }

    /** Takes one of a template's maker, which never goes on: clones have its memory. */
    TakenSnapshot ofMaker(SnapshotName name, Runnable kill, Deadline deadline) {
        var _ = life.live("be snapshot");
        requireUnhindered();
        try (SnapshotCapture capture = backend.capture(name, deadline)) {
            var _ = halted(() -> capture.take(deadline), deadline);
            kill.run();
            return new TakenSnapshot(capture.publish(), Duration.ZERO);
        }
    }

    /** Takes one, with which the VM ends; until the snapshot is whole, nothing is lost if that fails. */
    SnapshotRef ofOneThatEnds(
            SnapshotName name, Optional<Consumer<SnapshotRef>> kept, Runnable kill, Deadline deadline) {
        Guest guest = life.live("be suspended");
        if (isHeld()) {
            return asHalted(() -> capturedAtTheEnd(name, kept, kill, deadline));
        }
        requireUnhindered();
        // It is to write all that it holds back, at once.
        life.enforceThrottle(false, deadline);
        try {
            flush(guest, deadline);
            return capturedAtTheEnd(name, kept, kill, deadline);
        } catch (Throwable failure) {
            if (life.state().live()) {
                Uninterrupted.after(failure, () -> life.enforceThrottle(true, deadline.atLeast(VmBoot.KILL_ALLOWANCE)));
            }
            throw failure;
        }
    }

    private SnapshotRef capturedAtTheEnd(
            SnapshotName name, Optional<Consumer<SnapshotRef>> kept, Runnable kill, Deadline deadline) {
        try (SnapshotCapture capture = backend.capture(name, deadline)) {
            AtomicReference<Optional<SnapshotRef>> published = new AtomicReference<>(Optional.empty());
            var _ = halted(
                    () -> {
                        capture.take(deadline);
                        capture.suspendDisk();
                        SnapshotRef whole = capture.publish();
                        published.set(Optional.of(whole));
                        if (kept.isPresent()) {
                            // From here on the caller's record says whether it goes on, and no process that adopts it
                            // does.
                            backend.capturing(false);
                            kept.get().accept(whole);
                        }
                    },
                    deadline);
            kill.run();
            return published.get().orElseThrow();
        }
    }

    /** So that hardly anything is lost should the disk be booted from, because its memory cannot be continued. */
    private void flush(Guest guest, Deadline deadline) {
        if (life.state() == VmState.RUNNING) {
            guest.freeze(LONGEST_FLUSH, deadline);
            guest.thaw(deadline);
        }
    }

    /**
     * Does something to a guest that is halted.
     *
     * @return whether it was halted for it, and is still; if it fails, a guest that ran goes on
     */
    private boolean halted(Runnable what, Deadline deadline) {
        boolean runs = life.state() == VmState.RUNNING;
        try {
            if (runs) {
                backend.capturing(true);
                identities.quiesce(life.live("be snapshot"), deadline);
                haltedAt = System.nanoTime();
                life.halt(deadline);
                // A disk that failed just now halted the guest in the middle of a write.
                requireUnhindered();
            }
            what.run();
            return runs;
        } catch (Throwable failure) {
            if (runs) {
                goOnAfter(failure, deadline);
            }
            throw failure;
        }
    }

    /** Its guard has halted it, which a handle that was there before does not know. */
    private SnapshotRef asHalted(Supplier<SnapshotRef> what) {
        boolean unknown = life.state() == VmState.RUNNING;
        if (unknown) {
            life.move(VmTransition.PAUSED);
        }
        try {
            return what.get();
        } catch (Throwable failure) {
            if (unknown) {
                life.move(VmTransition.RESUMED);
            }
            throw failure;
        }
    }

    /** One that is halted at its limit is so for this. */
    private boolean isHeld() {
        return life.run()
                .flatMap(RunningVm::hindrance)
                .filter(why -> why == VmHindrance.HELD)
                .isPresent();
    }

    private void requireUnhindered() {
        life.run().ifPresent(run -> run.check(id));
    }

    private void goOnAfter(Throwable failure, Deadline deadline) {
        try {
            var _ = goOn(deadline);
        } catch (VmException second) {
            failure.addSuppressed(second);
        }
    }

    /**
     * Has the guest go on, also after the deadline: a guest that gets no new identity takes no work any more, so one on a busy
     * host has as long for it as the caller has, and some seconds in any case.
     *
     * @return how long it was halted
     */
    private Duration goOn(Deadline callers) {
        Deadline deadline = callers.orAfter(LONGEST_GO_ON).atLeast(VmBoot.KILL_ALLOWANCE);
        if (life.state() == VmState.PAUSED) {
            life.goOn(deadline);
        }
        Duration pause = Duration.ofNanos(System.nanoTime() - haltedAt);
        backend.capturing(false);
        identities.refresh(life.live("go on after a snapshot"), deadline);
        return pause;
    }

    /**
     * Has a guest go on that a process halted for a snapshot and did not live to let go on; its owner now is this one.
     *
     * @throws VmException.ImageAside if it cannot; its VM is ended
     */
    void recover(Deadline deadline) {
        if (life.state() == VmState.PAUSED && backend.capturing()) {
            System.getLogger(Vm.class.getName())
                    .log(System.Logger.Level.DEBUG, "VM " + id + " goes on after a snapshot that was not finished");
            life.goOn(deadline);
            GuestConnection guest = life.live("go on after a snapshot");
            guest.awaitReady(deadline);
            identities.settle(guest, deadline);
        }
        backend.capturing(false);
    }
}
