package dev.cloche;

import dev.cloche.process.AwaitOutput;
import java.util.Optional;

/**
 * Why a process has failed.
 *
 * <pre>{@code
 * cloche.processes().find(id).flatMap(ProcessInfo::failure).ifPresent(why -> System.err.println(why.message()));
 * }</pre>
 *
 * @param kind for example {@code invalid_request} or {@code unavailable}; the documentation of processes has all
 * @param code stable name; of a durable command that cannot be started, what {@link CommandBuilder#start()} throws has it too
 * @param message what happened, one sentence
 */
public record ProcessFailure(String kind, String code, String message) {
    static Optional<ProcessFailure> of(AwaitOutput output) {
        return output instanceof AwaitOutput.Failure failure
                ? Optional.of(new ProcessFailure(failure.failureClass().word(), failure.code(), failure.message()))
                : Optional.empty();
    }
}
