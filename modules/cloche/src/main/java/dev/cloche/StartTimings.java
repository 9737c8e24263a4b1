package dev.cloche;

import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.RunStart;
import java.time.Duration;
import java.util.Optional;

/**
 * Where the time of a start went, by the monotonic clock.
 *
 * <pre>{@code
 * sandbox.startTimings().ifPresent(timings -> System.out.println(timings.boot()));
 * }</pre>
 *
 * @param kind how the VM came to be
 * @param total from the request to a guest that answers
 * @param image finding, and where needed pulling, the image
 * @param boot from the VM's start to the acknowledged identity of its guest, without what was done here while that was on
 *     its way
 * @param notWarm why it did not come from the pool of its image and size, if there is such a pool
 */
public record StartTimings(StartKind kind, Duration total, Duration image, Duration boot, Optional<String> notWarm) {
    static StartTimings of(dev.cloche.sandbox.StartTimings timings) {
        return new StartTimings(
                StartKind.valueOf(timings.kind().name()),
                timings.total(),
                timings.image(),
                timings.boot(),
                timings.notWarm());
    }

    /** As they are recorded, in milliseconds of the wall clock. */
    static StartTimings of(RunRecord run, RunStart start) {
        return new StartTimings(
                StartKind.valueOf(start.kind().name()),
                Duration.between(run.startedAt(), run.readyAt().orElse(run.startedAt())),
                start.image(),
                start.boot(),
                Optional.empty());
    }
}
