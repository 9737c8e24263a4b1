package dev.cloche.sandbox;

import dev.cloche.vm.VmInfo;
import java.util.Optional;

/** The rule by which a record that says "active" is held against what is really there. */
final class Settlement {
    private Settlement() {}

    /**
     * The ending to record; empty while the sandbox goes on, and while its end is another's to record: a living process
     * watches over the sandbox that is attached to it, and over one that it is still starting.
     *
     * @param vm what is known of the VM of its run; empty if there is no trace of it
     * @param ownerAlive whether the process that started it lives
     */
    static Optional<Ending> of(SandboxRecord sandbox, Optional<VmInfo> vm, boolean ownerAlive) {
        boolean detached = sandbox.latestRun().map(RunRecord::detached).orElse(false);
        boolean starting = sandbox.status() == SandboxStatus.STARTING;
        if (!sandbox.status().active() || (ownerAlive && (starting || !detached))) {
            return Optional.empty();
        }
        Optional<TerminationReason> asked = asked(sandbox);
        return vm.filter(info -> info.state().live()).isPresent()
                ? Optional.empty()
                : Optional.of(Ending.ofLeftover(vm.flatMap(VmInfo::exit), asked));
    }

    /** Why somebody has begun to end it. */
    static Optional<TerminationReason> asked(SandboxRecord sandbox) {
        return sandbox.latestRun()
                .flatMap(RunRecord::asked)
                .or(() -> Optional.of(TerminationReason.SHUTDOWN_REQUESTED)
                        .filter(_ -> sandbox.status() == SandboxStatus.DRAINING));
    }
}
