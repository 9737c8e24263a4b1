package dev.cloche;

import dev.cloche.sandbox.CommandOptions;
import dev.cloche.sandbox.MainCommand;
import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.RunStart;
import dev.cloche.sandbox.RunStatus;
import dev.cloche.sandbox.SandboxDetails;
import dev.cloche.sandbox.SandboxManager;
import dev.cloche.sandbox.SandboxPolicies;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.StartTimings;
import dev.cloche.sandbox.StopSignal;
import dev.cloche.sandbox.Termination;
import dev.cloche.sandbox.TerminationReason;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmIsolation;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Tells all that is recorded of a sandbox.
 *
 * <pre>{@code
 * cloche.sandboxes().inspect("web").runs().forEach(run -> System.out.println(run.startedAt() + " " + run.termination()));
 * }</pre>
 *
 * @param info what lists say of it
 * @param image the digest of the image that it has, and has again at every start; empty until it was created or started
 * @param diskMib the size of its writable disk in MiB; empty if it writes to its memory
 * @param labels what it can be found by
 * @param policies the limits of its life
 * @param restarts how often it was started again, in a row
 * @param command what its main command was given; without words if that is the image's own. Empty if an older Cloche made it,
 *     which did not record that
 * @param runs those that are kept, the latest first
 * @param isolation what stands between its VM and the host; empty if it does not run
 */
public record SandboxInspection(
        SandboxInfo info,
        Optional<String> image,
        OptionalInt diskMib,
        Map<String, String> labels,
        SandboxPolicies policies,
        int restarts,
        Optional<Command> command,
        List<Run> runs,
        Optional<VmIsolation> isolation) {
    /** Copies the collections. */
    public SandboxInspection {
        labels = Map.copyOf(labels);
        runs = List.copyOf(runs);
    }

    static SandboxInspection of(SandboxDetails details, SandboxManager room) {
        SandboxRecord sandbox = details.sandbox();
        return new SandboxInspection(
                SandboxInfo.of(sandbox, room),
                sandbox.manifest(),
                sandbox.diskMib(),
                details.labels(),
                sandbox.policies(),
                sandbox.restarts(),
                details.main().map(Command::of),
                details.runs().stream()
                        .map(run -> Run.of(run, details.starts()))
                        .toList(),
                room.isolation(sandbox));
    }

    /**
     * Tells what a main command was given.
     *
     * @param words that replace the image's own where there are any
     * @param environment added to the image's, with what the sandbox has for all commands
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
            Optional<StopSignal> stopSignal,
            boolean whole) {
        /** Copies the collections. */
        public Command {
            words = List.copyOf(words);
            environment = Map.copyOf(environment);
        }

        private static Command of(MainCommand main) {
            CommandOptions options = main.effectiveOptions();
            return new Command(
                    main.words(),
                    options.environment(),
                    options.workingDirectory(),
                    options.user(),
                    main.stopSignal(),
                    main.whole());
        }
    }

    /**
     * Tells what is recorded of one run of the sandbox's VM.
     *
     * @param vm the id of its VM
     * @param detached whether it outlives its owner
     * @param pid of the VM's guard on the host; empty until its guest has answered
     * @param ownerPid of the process that started it, or adopted it last
     * @param startedAt when it was recorded
     * @param readyAt when its guest had answered
     * @param start how its VM came to be, in whole milliseconds; empty until its guest has answered, and where an older Cloche
     *     started it
     * @param terminatedAt when its end was recorded
     * @param asked why its end was requested, if it was
     * @param termination how it ended; empty while it runs
     */
    public record Run(
            long id,
            VmId vm,
            boolean detached,
            OptionalLong pid,
            long ownerPid,
            Instant startedAt,
            Optional<Instant> readyAt,
            Optional<StartTimings> start,
            Optional<Instant> terminatedAt,
            Optional<TerminationReason> asked,
            Optional<Termination> termination) {
        /** Returns whether it runs or has ended. */
        public RunStatus status() {
            return termination.isPresent() ? RunStatus.TERMINATED : RunStatus.RUNNING;
        }

        private static Run of(RunRecord run, List<RunStart> starts) {
            return new Run(
                    run.id(),
                    run.vm(),
                    run.detached(),
                    run.guard().map(guard -> OptionalLong.of(guard.pid())).orElse(OptionalLong.empty()),
                    run.owner().pid(),
                    run.startedAt(),
                    run.readyAt(),
                    starts.stream()
                            .filter(start -> start.run() == run.id())
                            .findFirst()
                            .map(start -> timings(run, start)),
                    run.terminatedAt(),
                    run.asked(),
                    run.termination());
        }

        private static StartTimings timings(RunRecord run, RunStart start) {
            return new StartTimings(
                    start.kind(),
                    Duration.between(run.startedAt(), run.readyAt().orElse(run.startedAt())),
                    start.image(),
                    start.boot(),
                    Optional.empty());
        }
    }
}
