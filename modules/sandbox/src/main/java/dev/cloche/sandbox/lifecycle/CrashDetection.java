package dev.cloche.sandbox.lifecycle;

import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.Termination;
import dev.cloche.sandbox.TerminationReason;
import dev.cloche.vm.VmInfo;
import java.util.Optional;

/** Decides whether a sandbox has crashed: reconciles a record that says "active" with what is really there. */
public final class CrashDetection {
    private CrashDetection() {}

    /**
     * Returns the ending to record for a sandbox that no living process owns; empty while it goes on.
     *
     * @param vm what is known of the VM of its run; empty if there is no trace of it
     */
    public static Optional<Termination> of(SandboxRecord sandbox, Optional<VmInfo> vm) {
        if (!sandbox.status().active()
                || sandbox.status().suspends()
                || vm.filter(info -> info.state().live()).isPresent()) {
            return Optional.empty();
        }
        return Optional.of(Termination.ofLeftover(vm.flatMap(VmInfo::exit), asked(sandbox)));
    }

    /** Returns why the end of a sandbox was asked for, if it was. */
    static Optional<TerminationReason> asked(SandboxRecord sandbox) {
        return sandbox.latestRun()
                .flatMap(RunRecord::asked)
                .or(() -> Optional.of(TerminationReason.SHUTDOWN_REQUESTED)
                        .filter(_ -> sandbox.status() == SandboxStatus.DRAINING));
    }
}
