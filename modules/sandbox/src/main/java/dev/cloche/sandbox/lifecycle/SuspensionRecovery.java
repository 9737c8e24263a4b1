package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.Secrets;
import dev.cloche.sandbox.Termination;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxLocks.Claim;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmState;
import java.util.Optional;

/**
 * Finishes or takes back what a dead process has begun of a suspension or a resume (docs/snapshots.md). Its callers hold the
 * sandbox's lock. Whether its memory counts, the record alone says.
 */
public final class SuspensionRecovery {
    private final SandboxContext context;

    public SuspensionRecovery(SandboxContext context) {
        this.context = context;
    }

    /** Says whether a process has one in hand, or has died while it had. */
    boolean isUnfinished(SandboxRecord record) {
        return switch (record.status()) {
            case SUSPENDING, RESUMING -> true;
            case SUSPENDED -> vm(record).filter(info -> info.state().live()).isPresent();
            case CREATED, STARTING, RUNNING, PAUSED, DRAINING, STOPPED, CRASHED -> false;
        };
    }

    /** Does so for a sandbox that no living process has in hand; of another one, nothing happens. */
    public void recover(long id, Deadline deadline) {
        Optional<SandboxRecord> known = context.store().byId(id);
        if (known.isPresent()
                && context.locks().claim(known.get()) instanceof Claim.Taken(OwnerLock lock, SandboxRecord now)) {
            try (lock) {
                var _ = settle(now, deadline);
            }
        }
    }

    /**
     * Brings a sandbox where its record says that it goes.
     *
     * @return whether it was such a one
     */
    public boolean settle(SandboxRecord record, Deadline deadline) {
        if (!record.status().suspends()) {
            return false;
        }
        if (record.status() == SandboxStatus.SUSPENDING) {
            takeBack(record, deadline);
            return true;
        }
        end(record, deadline);
        if (record.status() == SandboxStatus.RESUMING) {
            context.store().move(record.id(), SandboxStatus.RESUMING, SandboxStatus.SUSPENDED);
        }
        return true;
    }

    /** Its memory does not count yet, so its guest goes on where it is; with its VM its run has ended. */
    private void takeBack(SandboxRecord record, Deadline deadline) {
        Optional<VmInfo> vm = vm(record);
        if (vm.filter(info -> info.state().live()).isEmpty()) {
            context.store()
                    .end(record.id(), Termination.ofLeftover(vm.flatMap(VmInfo::exit), CrashDetection.asked(record)));
            return;
        }
        try (Vm guest = context.vms().adopt(SandboxTerminator.vmOf(record), deadline)) {
            if (guest.state() == VmState.PAUSED) {
                letGo(guest, deadline);
            }
            context.store().move(record.id(), SandboxStatus.SUSPENDING, SandboxStatus.RUNNING);
            // Closing an attached one would end it; its guard does so anyway, for its owner is dead.
        } catch (GuestException.ConnectionLost | VmException.WrongState | VmException.Busy over) {
            // It is ending, or about to be; the next look says how.
        }
    }

    /** One that has come to its deadline is halted again by its guard, before it answers; the next sweep suspends it. */
    private void letGo(Vm guest, Deadline deadline) {
        try {
            guest.resume(this::identity, deadline);
        } catch (VmException.Hindered halted) {
            if (context.vms()
                    .hindrance(guest.id())
                    .filter(why -> why == VmHindrance.HELD)
                    .isEmpty()) {
                throw halted;
            }
        }
    }

    /** Returns what a guest gets that goes on where it was halted, and stays who it is. */
    public GuestIdentity identity() {
        GuestIdentity fresh = GuestIdentity.fresh("unused", context.clock());
        return GuestIdentity.UNCHANGED
                .withEntropy(fresh.entropy().orElseThrow())
                .withClock(fresh.clock().orElseThrow());
    }

    /** Has the guest go on of a sandbox that runs again, should the process be dead that had resumed it. */
    public void goOn(SandboxRecord record, Deadline deadline) {
        Secrets secrets = kept(record);
        try (Vm guest = context.vms().adopt(SandboxTerminator.vmOf(record), deadline)) {
            if (guest.state() == VmState.PAUSED) {
                guest.resume(() -> secrets.addedTo(identity()), deadline);
            }
        } catch (VmException.NotFound | VmException.WrongState | VmException.Busy overOrOwned) {
            // Its end is found by the sweep that looks for ends.
        }
    }

    /** That process may have kept others than are in its memory. */
    private Secrets kept(SandboxRecord record) {
        try {
            return context.locks().directory(record).secrets().read();
        } catch (SandboxException.StorageFailed damaged) {
            // With those in its memory it is better off than halted.
            return Secrets.none();
        }
    }

    /** Ends the VM of one that goes on from its memory: halted, or loaded by a process that died before it let it go on. */
    private void end(SandboxRecord record, Deadline deadline) {
        if (vm(record).filter(info -> info.state().live()).isPresent()) {
            try {
                var _ = context.vms().kill(SandboxTerminator.vmOf(record), deadline);
            } catch (VmException.NotFound | VmException.WrongState ended) {
                // As was to be reached.
            }
        }
    }

    private Optional<VmInfo> vm(SandboxRecord record) {
        return record.latestRun().flatMap(run -> context.vms().get(run.vm()));
    }
}
