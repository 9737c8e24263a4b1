package dev.cloche.sandbox;

import dev.cloche.base.Operation;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Describes an operation on a sandbox that has ended, as a {@link dev.cloche.base.OperationListener} hears of it. */
public sealed interface SandboxOperation extends Operation {
    /** Returns the name that the sandbox had. */
    String sandbox();

    /** Returns the id of its record; 0 of a start that was refused, for example because the name is taken. */
    long sandboxId();

    /**
     * Describes a start, from the request to a guest that answers.
     *
     * @param image as it was asked for
     * @param vm empty if it failed
     * @param timings where its time went; empty if it failed
     */
    record Start(
            String sandbox,
            long sandboxId,
            String image,
            Optional<VmId> vm,
            Optional<StartTimings> timings,
            Duration took,
            Optional<String> failure)
            implements SandboxOperation {}

    /**
     * Describes a command, from the request until its end was awaited or its handle closed.
     *
     * @param execution number in the guest; empty if it was not begun
     * @param exitCode as a shell has it, 128 and the signal for a killed one; empty if its end was not seen
     * @param begin from the request until it ran; empty if it was not begun
     */
    record Exec(
            String sandbox,
            long sandboxId,
            OptionalLong execution,
            OptionalInt exitCode,
            Optional<Duration> begin,
            Duration took,
            Optional<String> failure)
            implements SandboxOperation {}

    /**
     * Describes a snapshot, until it is ready to start from.
     *
     * @param snapshot its name; empty for a fork
     * @param pause for which the sandbox was halted; empty if it did not run
     */
    record Snapshot(
            String sandbox,
            long sandboxId,
            Optional<String> snapshot,
            SandboxSnapshot.Contents contents,
            Optional<Duration> pause,
            Duration took,
            Optional<String> failure)
            implements SandboxOperation {}
}
