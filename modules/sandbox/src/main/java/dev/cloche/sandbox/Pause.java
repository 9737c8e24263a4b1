package dev.cloche.sandbox;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmNotFoundException;
import dev.cloche.vm.VmStateException;
import java.time.Duration;

/** Halts a sandbox in its memory, and lets it go on. What is so already stays so. */
record Pause(Foundations ground, Connections connections, SandboxRecord record) {
    private static final Duration CLOCK_LIMIT = Duration.ofSeconds(10);

    /** @throws SandboxException.NotRunning if it neither runs nor is paused */
    Pause {
        if (record.status() != SandboxStatus.RUNNING && record.status() != SandboxStatus.PAUSED) {
            throw new SandboxException.NotRunning(record.name(), record.status());
        }
    }

    void begin(Deadline deadline) {
        if (record.status() == SandboxStatus.RUNNING) {
            change(() -> ground.vms().pause(SandboxEnds.vmOf(record), deadline));
            if (!ground.store().move(record.id(), SandboxStatus.RUNNING, SandboxStatus.PAUSED)) {
                // Whoever ends it meanwhile wants to speak to its guest.
                change(() -> ground.vms().resume(SandboxEnds.vmOf(record), deadline));
            }
        }
    }

    void end(Deadline deadline) {
        if (record.status() == SandboxStatus.PAUSED) {
            change(() -> ground.vms().resume(SandboxEnds.vmOf(record), deadline));
            if (ground.store().move(record.id(), SandboxStatus.PAUSED, SandboxStatus.RUNNING)) {
                setClock(deadline.orAfter(CLOCK_LIMIT));
            }
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
