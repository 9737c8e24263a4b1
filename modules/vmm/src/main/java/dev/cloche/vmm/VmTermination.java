package dev.cloche.vmm;

import dev.cloche.base.Deadline;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmState;
import dev.cloche.vmm.channel.GuestConnection;
import java.time.Duration;
import java.util.Optional;

/** Ends a VM, and finds out how it ended. Safe for use from several threads. */
final class VmTermination {
    /**
     * What a guest has for syncing its disks, beyond the grace of its processes. It may hold a fifth of its memory back, and one
     * that is killed meanwhile loses that; who does not sync at all is rare, and waits in vain.
     */
    private static final Duration SYNC_ALLOWANCE = Duration.ofSeconds(10);

    /** How long another process that speaks to QEMU is waited for; after that the guest ends within the bound of its disk. */
    private static final Duration UNBIND_LIMIT = Duration.ofSeconds(10);

    private final VmId id;
    private final VmHandleState life;

    VmTermination(VmId id, VmHandleState life) {
        this.id = id;
        this.life = life;
    }

    /** Does what {@link Vm#stop} promises. */
    VmExit stop(Duration grace, Deadline deadline) {
        Optional<VmExit> known = life.alreadyEnded("be stopped");
        if (known.isPresent()) {
            return known.get();
        }
        if (life.state() == VmState.RUNNING) {
            try {
                GuestConnection guest = life.live("be stopped");
                life.run().ifPresent(RunningVm::stopAsked);
                // What it has not written yet would take as long as the bound says, and what is left then is lost.
                life.enforceThrottle(false, deadline.orAfter(UNBIND_LIMIT));
                Deadline patience = deadline.orAfter(grace.plus(SYNC_ALLOWANCE));
                guest.shutdown(grace, patience);
                return VmWaits.on(life.exit(), patience, "the guest's shutdown");
            } catch (VmException.Deadline
                    | VmException.WrongState
                    | GuestException.ConnectionLost
                    | GuestException.ProtocolBroken
                    | GuestException.Refused
                    | VmException.Busy askedInVain) {
                System.getLogger(Vm.class.getName())
                        .log(
                                System.Logger.Level.DEBUG,
                                "VM " + id + " is killed, because it does not stop",
                                askedInVain);
            }
        }
        return killPatiently();
    }

    /** Does what {@link Vm#kill} promises. */
    VmExit kill(Deadline deadline) {
        Optional<VmExit> known = life.alreadyEnded("be killed");
        if (known.isPresent()) {
            return known.get();
        }
        life.run().ifPresent(RunningVm::kill);
        return VmWaits.on(life.exit(), deadline, "the end of VM " + id);
    }

    VmExit killPatiently() {
        return kill(Deadline.after(VmBoot.KILL_ALLOWANCE));
    }

    /** Does what {@link Vm#awaitExit} promises. */
    VmExit await(Deadline deadline) {
        return life.alreadyEnded("be waited for")
                .orElseGet(() -> VmWaits.on(life.exit(), deadline, "the end of VM " + id));
    }
}
