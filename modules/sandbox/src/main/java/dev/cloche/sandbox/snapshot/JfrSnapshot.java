package dev.cloche.sandbox.snapshot;

import dev.cloche.base.OperationEvent;
import dev.cloche.sandbox.SandboxOperation;
import java.time.Duration;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** Records a snapshot that is taken of a sandbox for Flight Recorder. */
@Name("dev.cloche.Snapshot")
@Label("Sandbox Snapshot")
@Description("A snapshot of a sandbox until it is ready to start from")
final class JfrSnapshot extends OperationEvent<SandboxOperation.Snapshot> {
    @Label("Sandbox")
    @Nullable
    String sandbox;

    @Label("Sandbox Id")
    long sandboxId;

    @Label("Snapshot")
    @Description("Its name; none for a fork")
    @Nullable
    String snapshot;

    @Label("Contents")
    @Description("MEMORY: of a sandbox that runs, with its disk; DISK: of one that does not")
    @Nullable
    String contents;

    @Label("Pause Time")
    @Description("For which the sandbox was halted")
    @Timespan(Timespan.NANOSECONDS)
    long pauseTime;

    @Override
    protected void describe(SandboxOperation.Snapshot taken) {
        sandbox = taken.sandbox();
        sandboxId = taken.sandboxId();
        snapshot = taken.snapshot().orElse(null);
        contents = taken.contents().name();
        pauseTime = taken.pause().map(Duration::toNanos).orElse(0L);
    }
}
