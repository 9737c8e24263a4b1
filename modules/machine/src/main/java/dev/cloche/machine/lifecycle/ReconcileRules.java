package dev.cloche.machine.lifecycle;

import dev.cloche.machine.DiskState;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmInfo;
import java.util.Optional;

/** Decides how to reconcile a machine: what is to be done when its file and its VM are compared. Pure. */
public sealed interface ReconcileRules {
    /** The file is true. */
    record Nothing() implements ReconcileRules {}

    /** Its VM runs, as the file says; the process that supervised it may be gone. */
    record Adopt() implements ReconcileRules {}

    /**
     * Its VM runs although the file says that it was being stopped: the process that stopped it is gone, and its guest may be
     * shutting down.
     */
    record FinishStop() implements ReconcileRules {}

    /** Its VM runs although it should have none: its memory is kept, and must stay what its disk belongs to. */
    record Kill() implements ReconcileRules {}

    /** Its VM has ended, which is still to be written down, and it stays so. */
    record RecordEnd(EndReason reason) implements ReconcileRules {}

    /** Its VM has ended, and its policy is to start it again. */
    record Restart(String why) implements ReconcileRules {}

    static ReconcileRules of(PersistedMachine machine, Optional<VmInfo> vm) {
        boolean runs = vm.filter(info -> info.state().live()).isPresent();
        Optional<VmExit> exit = vm.flatMap(VmInfo::exit);
        if (!machine.needsRecovery()) {
            boolean stopped = machine.status().state() == DiskState.STOPPED;
            if (runs) {
                return stopped ? new FinishStop() : new Kill();
            }
            return stopped && machine.status().startedAt().isPresent()
                    ? new RecordEnd(exit.map(EndReason::asked).orElse(EndReason.GONE_UNSEEN))
                    : new Nothing();
        }
        if (runs) {
            return new Adopt();
        }
        EndReason reason = exit.map(EndReason::unasked).orElse(EndReason.GONE);
        return machine.settings().restartPolicy().restarts(reason.failed())
                ? new Restart(reason.how())
                : new RecordEnd(reason);
    }
}
