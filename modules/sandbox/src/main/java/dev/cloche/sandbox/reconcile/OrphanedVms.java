package dev.cloche.sandbox.reconcile;

import dev.cloche.base.Deadline;
import dev.cloche.linux.PinnedProcess;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmProvider;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Ends VMs that their guards should have ended when their owners died. */
final class OrphanedVms {
    private static final int SIGKILL = 9;
    /** A guard that was asked in vain for so many graces is broken: stopped, for example. */
    private static final int GRACES_IN_VAIN = 3;

    private final VmProvider vms;
    private final Duration grace;

    OrphanedVms(VmProvider vms, Duration grace) {
        this.vms = vms;
        this.grace = grace;
    }

    /**
     * Has its guard end a VM, and ends the guard, and with it the VM, if that has been tried in vain for long. All signals go
     * through a pidfd that was opened before the guard's identity was verified.
     *
     * @param since when it was first seen without an owner
     * @return whether it has ended; if not, it is to be tried again
     */
    boolean end(VmId id, Instant since, Instant now, Deadline deadline) {
        try {
            var _ = vms.kill(id, deadline);
            return true;
        } catch (VmException.NotFound | VmException.WrongState ended) {
            return true;
        } catch (VmException.Deadline deaf) {
            if (Duration.between(since, now).compareTo(grace.multipliedBy(GRACES_IN_VAIN)) >= 0) {
                vms.get(id).flatMap(VmInfo::guard).ifPresent(OrphanedVms::kill);
            }
            return false;
        }
    }

    private static void kill(ProcessIdentity guard) {
        // The guards of VMs in memory are this very process.
        Optional<PinnedProcess> other =
                guard.equals(ProcessIdentity.current()) ? Optional.empty() : PinnedProcess.open(guard);
        other.ifPresent(process -> {
            try (process) {
                process.signal(SIGKILL);
            }
        });
    }
}
