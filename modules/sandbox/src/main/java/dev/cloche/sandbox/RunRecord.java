package dev.cloche.sandbox;

import dev.cloche.linux.ProcessIdentity;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Records one run of a sandbox's VM.
 *
 * @param detached whether it outlives its owner
 * @param owner the process that started it, or adopted it last
 * @param guard the VM's process for the outside; empty until its guest has answered
 * @param asked why its end was asked for, if it was
 * @param readyAt when its guest had answered; empty before, and if it never did
 * @param terminatedAt when its end was recorded; empty while it runs
 * @param deadline when its guard ends it, since the host's boot; empty if it has no limit, is suspended, or was started by a
 *     version that did not record this
 * @param termination how it ended; empty while it runs
 */
public record RunRecord(
        long id,
        VmId vm,
        boolean detached,
        ProcessIdentity owner,
        Optional<ProcessIdentity> guard,
        Optional<TerminationReason> asked,
        Instant startedAt,
        Optional<Instant> readyAt,
        Optional<Instant> terminatedAt,
        Optional<Duration> deadline,
        Optional<Termination> termination) {

    public RunStatus status() {
        return termination.isPresent() ? RunStatus.TERMINATED : RunStatus.RUNNING;
    }
}
