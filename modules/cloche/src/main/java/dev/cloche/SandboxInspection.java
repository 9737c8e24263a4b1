package dev.cloche;

import dev.cloche.sandbox.MainCommand;
import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.RunStart;
import dev.cloche.sandbox.SandboxDetails;
import dev.cloche.sandbox.SandboxPolicies;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.StopSignal;
import dev.cloche.sandbox.Termination;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * All that is recorded of a sandbox.
 *
 * <pre>{@code
 * cloche.sandboxes().inspect("web").runs().forEach(run -> System.out.println(run.startedAt() + " " + run.reason()));
 * }</pre>
 *
 * @param info what lists say of it
 * @param image the digest of the image that it has, and has again at every start; empty until it was created or started
 * @param diskMib the size of its writable disk; empty if it writes to its memory
 * @param labels what it can be found by
 * @param maxDuration of a run
 * @param idleTimeout after which it is stopped if nobody uses it
 * @param startTimeout that a start may take
 * @param restart whether it is started again
 * @param restarts how often it has been, in a row
 * @param keptRuns how many runs are kept
 * @param command what its main command was given; empty words if that is the image's own. Empty if an older Cloche made it,
 *     which did not record that
 * @param runs those that are kept, the latest first
 */
public record SandboxInspection(
        SandboxInfo info,
        Optional<String> image,
        OptionalInt diskMib,
        Map<String, String> labels,
        Optional<Duration> maxDuration,
        Optional<Duration> idleTimeout,
        Duration startTimeout,
        RestartPolicy restart,
        int restarts,
        int keptRuns,
        Optional<Command> command,
        List<Run> runs) {
    public SandboxInspection {
        labels = Map.copyOf(labels);
        runs = List.copyOf(runs);
    }

    static SandboxInspection of(SandboxDetails details, dev.cloche.sandbox.SandboxManager room) {
        SandboxRecord sandbox = details.sandbox();
        SandboxPolicies policies = sandbox.policies();
        return new SandboxInspection(
                SandboxInfo.of(sandbox, room),
                sandbox.manifest(),
                sandbox.diskMib(),
                details.labels(),
                policies.maxDuration(),
                policies.idleTimeout(),
                policies.startTimeout(),
                RestartPolicy.of(policies.restart()),
                sandbox.restarts(),
                policies.keptRuns(),
                details.main().map(Command::of),
                details.runs().stream()
                        .map(run -> Run.of(run, details.starts()))
                        .toList());
    }

    /**
     * A main command.
     *
     * @param words that replace the image's own where there are any
     * @param environment added to the image's
     * @param workingDirectory if it is not the image's
     * @param user if it is not the image's
     * @param stopSignal by which it is asked to end, if that is not the image's choice
     * @param whole whether the words are all of it, and nothing is taken of the image's entrypoint and command
     */
    public record Command(
            List<String> words,
            Map<String, String> environment,
            Optional<String> workingDirectory,
            Optional<String> user,
            Optional<String> stopSignal,
            boolean whole) {
        public Command {
            words = List.copyOf(words);
            environment = Map.copyOf(environment);
        }

        private static Command of(MainCommand main) {
            return new Command(
                    main.words(),
                    main.options().environment(),
                    main.options().workingDirectory(),
                    main.options().user(),
                    main.stopSignal().map(StopSignal::toString),
                    main.whole());
        }
    }

    /**
     * One run of the sandbox's VM.
     *
     * @param vm the id of its VM
     * @param status of the run; it has ended exactly if there is a reason
     * @param detached whether it outlives its owner
     * @param pid of the VM's guard on the host; empty until its guest has answered
     * @param ownerPid of the process that started it, or adopted it last
     * @param startedAt when it was recorded
     * @param readyAt when its guest had answered
     * @param start how its VM came to be, in whole milliseconds; empty until its guest has answered, and where an older Cloche
     *     started it
     * @param terminatedAt when its end was recorded
     * @param asked why somebody has begun to end it
     * @param reason why it ended
     * @param exitCode of the main command, where it is known
     * @param exitSignal that ended the main command, or the VM
     * @param killed whether something of it had not ended in the time that it was given, and was killed
     * @param detail one sentence on its end, or two
     */
    public record Run(
            long id,
            String vm,
            String status,
            boolean detached,
            OptionalLong pid,
            long ownerPid,
            Instant startedAt,
            Optional<Instant> readyAt,
            Optional<StartTimings> start,
            Optional<Instant> terminatedAt,
            Optional<String> asked,
            Optional<String> reason,
            OptionalInt exitCode,
            OptionalInt exitSignal,
            boolean killed,
            Optional<String> detail) {
        private static Run of(RunRecord run, List<RunStart> starts) {
            Optional<Termination> termination = run.termination();
            return new Run(
                    run.id(),
                    run.vm().value(),
                    Words.of(run.status()),
                    run.detached(),
                    run.guard().map(guard -> OptionalLong.of(guard.pid())).orElse(OptionalLong.empty()),
                    run.owner().pid(),
                    run.startedAt(),
                    run.readyAt(),
                    starts.stream()
                            .filter(start -> start.run() == run.id())
                            .findFirst()
                            .map(start -> StartTimings.of(run, start)),
                    run.terminatedAt(),
                    run.asked().map(Words::of),
                    termination.map(end -> Words.of(end.reason())),
                    termination.map(Termination::exitCode).orElse(OptionalInt.empty()),
                    termination.map(Termination::exitSignal).orElse(OptionalInt.empty()),
                    termination.filter(Termination::killed).isPresent(),
                    termination.map(Termination::detail));
        }
    }
}
