package dev.cloche.process.worker;

import dev.cloche.base.ClocheException;
import dev.cloche.process.AwaitOutput;
import dev.cloche.process.FailureClass;
import dev.cloche.process.Json;
import dev.cloche.process.value.TextSanitizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Says what is recorded of an exception that a driver threw. Stateless. */
public final class DriverFailure {
    private static final int LONGEST = 4_000;
    private static final int MOST_CAUSES = 5;

    private DriverFailure() {}

    /** Returns its message, and in the raw part its class and those of its causes with their messages. */
    public static AwaitOutput.Failure of(Throwable thrown) {
        List<Json> causes = new ArrayList<>();
        Throwable cause = thrown.getCause();
        while (cause != null && causes.size() < MOST_CAUSES) {
            causes.add(Json.of(TextSanitizer.line(cause.toString(), LONGEST)));
            cause = cause.getCause();
        }
        String message = ClocheException.sentenceOf(thrown);
        return new AwaitOutput.Failure(
                FailureClass.INTERNAL,
                "driver_failed",
                TextSanitizer.line(message, LONGEST),
                Optional.of(Json.object(
                        Map.of("exception", Json.of(thrown.getClass().getName()), "causes", Json.array(causes)))));
    }
}
