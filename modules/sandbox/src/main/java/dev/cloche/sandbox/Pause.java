package dev.cloche.sandbox;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmNotFoundException;
import dev.cloche.vm.VmStateException;
import java.time.Duration;
import java.util.Optional;

/** Halts a sandbox in its memory, and lets it go on. What is so already stays so. */
record Pause(Foundations ground, Connections connections, SandboxRecord record) {
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(10);

    /** @throws SandboxException.NotRunning if it neither runs nor is paused */
    Pause {
        if (record.status() != SandboxStatus.RUNNING && record.status() != SandboxStatus.PAUSED) {
            throw new SandboxException.NotRunning(record.name(), record.status());
        }
    }

    /**
     * Recorded first: should this process die in between, the guest runs and may be told to go on, whereas nobody would ever
     * have one go on that is halted and counts as running.
     */
    void begin(Deadline deadline) {
        boolean mine = ground.store().move(record.id(), SandboxStatus.RUNNING, SandboxStatus.PAUSED);
        if (!mine && status() != SandboxStatus.PAUSED) {
            throw new SandboxException.NotRunning(record.name(), status());
        }
        try {
            change(() -> ground.vms().pause(SandboxEnds.vmOf(record), deadline));
        } catch (Throwable failure) {
            if (mine) {
                Uninterrupted.after(failure, this::takeBack);
            }
            throw failure;
        }
        if (wantedAgain()) {
            change(() -> ground.vms().resume(SandboxEnds.vmOf(record), deadline));
        }
    }

    /** QEMU may have halted the guest and not said so in time. */
    private void takeBack() {
        ground.vms().resume(SandboxEnds.vmOf(record), Deadline.after(ANSWER_LIMIT));
        ground.store().move(record.id(), SandboxStatus.PAUSED, SandboxStatus.RUNNING);
    }

    /** Whoever resumes or ends it meanwhile wants to speak to its guest. */
    private boolean wantedAgain() {
        Optional<SandboxRecord> now = ground.store().byId(record.id());
        return now.isEmpty()
                || now.get().status() != SandboxStatus.PAUSED
                || Settlement.asked(now.get()).isPresent();
    }

    private SandboxStatus status() {
        return ground.store().byId(record.id()).map(SandboxRecord::status).orElse(SandboxStatus.STOPPED);
    }

    /** Also one that is halted because the host's disk has failed: it tries again. */
    void end(Deadline deadline) {
        if (record.status() == SandboxStatus.PAUSED) {
            change(() -> ground.vms().resume(SandboxEnds.vmOf(record), deadline));
            if (ground.store().move(record.id(), SandboxStatus.PAUSED, SandboxStatus.RUNNING)) {
                setClock(deadline.orAfter(ANSWER_LIMIT));
            }
        } else if (ground.vms().hindrance(SandboxEnds.vmOf(record)).isPresent()) {
            change(() -> ground.vms().resume(SandboxEnds.vmOf(record), deadline));
        }
    }

    private void change(Runnable change) {
        try {
            change.run();
        } catch (VmNotFoundException | VmStateException over) {
            throw connections.meaning(over, record);
        }
    }

    /** A guest's clock stands still while it is halted. */
    private void setClock(Deadline deadline) {
        try (Vm vm = ground.vms().connect(SandboxEnds.vmOf(record), deadline)) {
            vm.guest()
                    .beginConfigure(
                            GuestIdentity.UNCHANGED.withClock(ground.clock().instant()), deadline)
                    .await();
        } catch (ClocheException late) {
            System.getLogger(Pause.class.getName())
                    .log(System.Logger.Level.WARNING, "the clock of sandbox " + record.name() + " is late", late);
        }
    }
}
