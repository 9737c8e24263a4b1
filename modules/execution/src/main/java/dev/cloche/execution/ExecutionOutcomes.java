package dev.cloche.execution;

import dev.cloche.base.ClocheException;
import dev.cloche.process.AwaitOutput;
import dev.cloche.process.FailureClass;
import dev.cloche.process.Json;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.SpawnException;
import java.util.Map;
import java.util.Optional;

/** Translates how executions end into what the registry records: docs/executions.md has the forms. Pure. */
final class ExecutionOutcomes {
    private static final int NOT_EXECUTABLE = 126;
    private static final int NOT_FOUND = 127;

    private ExecutionOutcomes() {}

    /** Returns how a command ended that was not cancelled. */
    static AwaitOutput.Success success(ExitStatus exit) {
        return new AwaitOutput.Success(json(exit), Optional.empty());
    }

    static AwaitOutput.Cancelled cancelled(String why, ExitStatus exit) {
        return new AwaitOutput.Cancelled(why, Optional.of(json(exit)));
    }

    /** Returns the outcome of one that was cancelled before the guest knew of it. */
    static AwaitOutput.Cancelled neverStarted(String why) {
        return new AwaitOutput.Cancelled(why, Optional.empty());
    }

    /**
     * Returns the outcome of one that could not be started, with the exit code that a shell would give, where it has
     * one.
     */
    static AwaitOutput notStarted(SpawnException refused) {
        Optional<Integer> exitCode = switch (refused) {
            case SpawnException.CommandNotFound _ -> Optional.of(NOT_FOUND);
            case SpawnException.CommandNotExecutable _ -> Optional.of(NOT_EXECUTABLE);
            default -> Optional.empty();
        };
        return failure(FailureClass.INVALID_REQUEST, refused, exitCode.map(ExecutionOutcomes::exited));
    }

    static AwaitOutput unavailable(SandboxException gone) {
        return failure(FailureClass.UNAVAILABLE, gone);
    }

    /** Returns the outcome of one that began or was to begin, and cannot be found any more. */
    static AwaitOutput lost(String what) {
        return new AwaitOutput.Failure(FailureClass.UNAVAILABLE, "execution.lost", what, Optional.empty());
    }

    static AwaitOutput failure(FailureClass kind, ClocheException why) {
        return failure(kind, why, Optional.empty());
    }

    private static AwaitOutput failure(FailureClass kind, ClocheException why, Optional<Json> raw) {
        return new AwaitOutput.Failure(kind, why.code(), why.sentence(), raw);
    }

    private static Json json(ExitStatus exit) {
        return switch (exit) {
            case ExitStatus.Exited(int code) -> exited(code);
            case ExitStatus.Signalled(int signal) -> Json.object(Map.of("signal", Json.of(signal)));
        };
    }

    private static Json exited(int code) {
        return Json.object(Map.of("exitCode", Json.of(code)));
    }
}
