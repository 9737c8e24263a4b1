package dev.cloche.sandbox.directory;

import dev.cloche.base.FlightRecording;
import dev.cloche.base.OperationWatch;
import dev.cloche.base.Operations;
import dev.cloche.sandbox.SandboxOperation;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.vm.ExitStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Tells of a command in a sandbox when it has ended, without its words: they may be secret. */
public final class ExecWatch {
    private final SandboxRecord sandbox;
    private final OperationWatch<SandboxOperation.Exec> watch;
    private OptionalLong execution = OptionalLong.empty();
    private Optional<Duration> begin = Optional.empty();
    private volatile @Nullable RuntimeException lastFailure;

    private ExecWatch(SandboxRecord sandbox, OperationWatch<SandboxOperation.Exec> watch) {
        this.sandbox = sandbox;
        this.watch = watch;
    }

    /** Watches a command that is asked for now. */
    public static ExecWatch begin(Operations operations, SandboxRecord sandbox) {
        return new ExecWatch(
                sandbox,
                operations.begin(
                        SandboxOperation.Exec.class,
                        sandbox.name(),
                        FlightRecording.isAvailable() ? new JfrExec() : null));
    }

    /** Returns what tells nothing, of a command that was asked for before. */
    public static ExecWatch none(SandboxRecord sandbox) {
        return new ExecWatch(sandbox, OperationWatch.recordedBy(null));
    }

    void began(int id) {
        if (watch.isHeard()) {
            execution = OptionalLong.of(Integer.toUnsignedLong(id));
            begin = Optional.of(watch.elapsed());
        }
    }

    void ended(ExitStatus end) {
        watch.succeeded((took, failure) -> exec(OptionalInt.of(end.shellCode()), took, failure));
    }

    /** Notes that its end was awaited in vain, which is what it ends with if its handle is closed now. */
    void notSeen(RuntimeException why) {
        lastFailure = why;
    }

    void closed() {
        RuntimeException why = lastFailure;
        if (why == null) {
            watch.succeeded((took, failure) -> exec(OptionalInt.empty(), took, failure));
        } else {
            failed(why);
        }
    }

    /** Tells that it could not be begun, or its end not be seen. */
    public void failed(Throwable why) {
        watch.failed(why, (took, failure) -> exec(OptionalInt.empty(), took, failure));
    }

    private SandboxOperation.Exec exec(OptionalInt exitCode, Duration took, Optional<String> failure) {
        return new SandboxOperation.Exec(sandbox.name(), sandbox.id(), execution, exitCode, begin, took, failure);
    }
}
