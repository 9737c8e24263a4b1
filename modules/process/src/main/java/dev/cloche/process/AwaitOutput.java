package dev.cloche.process;

import dev.cloche.process.value.AwaitOutputJson;
import java.util.Optional;

/** Says how a process ended, as a caller that awaits it gets to know. */
public sealed interface AwaitOutput {
    /** It did what it was for. */
    record Success(Json value, Optional<Json> control) implements AwaitOutput {
        @Override
        public ProcessStatus status() {
            return ProcessStatus.COMPLETED;
        }
    }

    /** It did not. */
    record Failure(FailureClass failureClass, String code, String message, Optional<Json> raw) implements AwaitOutput {
        @Override
        public ProcessStatus status() {
            return ProcessStatus.FAILED;
        }
    }

    /** It was cancelled on request. */
    record Cancelled(String message, Optional<Json> raw) implements AwaitOutput {
        @Override
        public ProcessStatus status() {
            return ProcessStatus.CANCELLED;
        }
    }

    /**
     * The registry gave it up; no caller can say so.
     *
     * @param reason why it is not run again
     * @param attempts how many came to nothing
     * @param owner who was lost last
     */
    record Abandoned(AbandonReason reason, int attempts, Optional<String> owner) implements AwaitOutput {
        @Override
        public ProcessStatus status() {
            return ProcessStatus.ABANDONED;
        }
    }

    /** Returns the status of a process that ended so. */
    ProcessStatus status();

    /** Returns it as an object whose member {@code type} is success, failure, cancelled or abandoned. */
    default Json json() {
        return AwaitOutputJson.write(this);
    }

    /**
     * Returns the inverse of {@link #json}.
     *
     * @throws ProcessException.Invalid if it is something else
     */
    static AwaitOutput of(Json json) {
        return AwaitOutputJson.read(json);
    }
}
