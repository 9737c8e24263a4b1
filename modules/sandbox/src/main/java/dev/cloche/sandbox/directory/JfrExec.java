package dev.cloche.sandbox.directory;

import dev.cloche.base.OperationEvent;
import dev.cloche.sandbox.SandboxOperation;
import java.time.Duration;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** Records a command in a sandbox for Flight Recorder, without its words: they may be secret. */
@Name("dev.cloche.Exec")
@Label("Sandbox Command")
@Description("A command from the request until its end was awaited or its handle closed")
final class JfrExec extends OperationEvent<SandboxOperation.Exec> {
    /** Is what no command ends with. */
    private static final int UNKNOWN = -1;

    @Label("Sandbox")
    @Nullable
    String sandbox;

    @Label("Sandbox Id")
    long sandboxId;

    @Label("Execution")
    @Description("Number of the command in its guest; -1 if it was not begun")
    long execution;

    @Label("Exit Code")
    @Description("As a shell shows it: 128 and the signal for a killed one; -1 if its end was not awaited")
    int exitCode;

    @Label("Begin Time")
    @Description("From the request until it ran")
    @Timespan(Timespan.NANOSECONDS)
    long beginTime;

    @Override
    protected void describe(SandboxOperation.Exec exec) {
        sandbox = exec.sandbox();
        sandboxId = exec.sandboxId();
        execution = exec.execution().orElse(UNKNOWN);
        exitCode = exec.exitCode().orElse(UNKNOWN);
        beginTime = exec.begin().map(Duration::toNanos).orElse(0L);
    }
}
