package dev.cloche.micrometer;

import dev.cloche.base.EnumNames;
import dev.cloche.base.Operation;
import dev.cloche.base.OperationListener;
import dev.cloche.image.ImagePull;
import dev.cloche.sandbox.SandboxOperation;
import dev.cloche.sandbox.StartTimings;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * Makes an observation of each operation, from its beginning to its end. An observation of one kind always has the same keys,
 * as Prometheus asks for.
 */
final class OperationObservations implements OperationListener {
    private static final String NONE = "none";

    private final MeterRegistry meters;
    private final ObservationRegistry observations;

    OperationObservations(MeterRegistry meters, ObservationRegistry observations) {
        this.meters = meters;
        this.observations = observations;
    }

    @Override
    public Consumer<Operation> begins(Class<? extends Operation> kind, String subject) {
        if (kind == SandboxOperation.Start.class) {
            Observation start = begun("cloche.start", "start of a sandbox");
            // It ends on this thread, and a pull in it is a part of it.
            Observation.Scope scope = start.openScope();
            return operation -> {
                scope.close();
                stop(start, operation);
            };
        }
        if (kind == SandboxOperation.Exec.class) {
            Observation command = begun("cloche.command", "command in a sandbox");
            return operation -> stop(command, operation);
        }
        if (kind == SandboxOperation.Snapshot.class) {
            Observation snapshot = begun("cloche.snapshot", "snapshot of a sandbox");
            return operation -> stop(snapshot, operation);
        }
        if (kind == ImagePull.class) {
            Observation pull = begun("cloche.pull", "pull of an image");
            return operation -> stop(pull, operation);
        }
        return this::ended;
    }

    /** Hears of kinds that have no meters. */
    @Override
    public void ended(Operation operation) {}

    private Observation begun(String name, String inTraces) {
        return Observation.createNotStarted(name, observations)
                .contextualName(inTraces)
                .start();
    }

    private void stop(Observation observation, Operation operation) {
        observation.lowCardinalityKeyValue("code", operation.failure().orElse(NONE));
        operation.failure().ifPresent(code -> observation.error(new OperationFailure(code)));
        switch (operation) {
            case SandboxOperation.Start start -> describe(observation, start);
            case SandboxOperation.Exec command -> describe(observation, command);
            case SandboxOperation.Snapshot snapshot ->
                observation
                        .lowCardinalityKeyValue("contents", EnumNames.of(snapshot.contents()))
                        .highCardinalityKeyValue("sandbox", snapshot.sandbox());
            case ImagePull pull -> describe(observation, pull);
            default -> {}
        }
        observation.stop();
    }

    private void describe(Observation observation, SandboxOperation.Start start) {
        Optional<String> notWarm = start.timings().flatMap(StartTimings::notWarm);
        String kind =
                start.timings().map(timings -> EnumNames.of(timings.kind())).orElse(NONE);
        observation
                .lowCardinalityKeyValue("image", start.image())
                .lowCardinalityKeyValue("kind", kind)
                .lowCardinalityKeyValue(
                        "not.warm", notWarm.map(OperationObservations::reason).orElse(NONE))
                .highCardinalityKeyValue("sandbox", start.sandbox());
        notWarm.ifPresent(why -> observation.highCardinalityKeyValue("not.warm.because", why));
        start.timings().ifPresent(timings -> {
            Tags tags = Tags.of("image", start.image(), "kind", kind);
            meters.timer("cloche.start.image", tags).record(timings.image());
            meters.timer("cloche.start.boot", tags).record(timings.boot());
        });
    }

    /** What follows a colon is of one case: too much for a tag. */
    private static String reason(String notWarm) {
        int detail = notWarm.indexOf(':');
        return detail < 0 ? notWarm : notWarm.substring(0, detail);
    }

    private static void describe(Observation observation, SandboxOperation.Exec command) {
        OptionalInt exitCode = command.exitCode();
        observation
                .lowCardinalityKeyValue(
                        "exit", exitCode.isEmpty() ? "unknown" : exitCode.getAsInt() == 0 ? "success" : "failure")
                .highCardinalityKeyValue("sandbox", command.sandbox());
        exitCode.ifPresent(code -> observation.highCardinalityKeyValue("exit.code", String.valueOf(code)));
    }

    private static void describe(Observation observation, ImagePull pull) {
        observation
                .lowCardinalityKeyValue("image", pull.image().toString())
                .highCardinalityKeyValue("source", pull.source())
                .highCardinalityKeyValue("bytes", String.valueOf(pull.bytes()));
        pull.manifest().ifPresent(digest -> observation.highCardinalityKeyValue("manifest", digest.toString()));
    }

    /** Marks an observation as failed; the stack is that of the exception that the caller gets. */
    private static final class OperationFailure extends Exception {
        private static final long serialVersionUID = 1;

        OperationFailure(String code) {
            super(code, null, false, false);
        }
    }
}
