package dev.cloche.base;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches one operation, and tells of its end. If there is neither a recording nor a listener, it takes no time and has nothing
 * described. It never fails.
 */
public final class OperationWatch<O extends Operation> {
    private final @Nullable OperationRecorder<O> recorder;
    private final @Nullable Consumer<Operation> listener;
    private final long beganAt;

    OperationWatch(@Nullable OperationRecorder<O> recorder, @Nullable Consumer<Operation> listener) {
        this.recorder = recorder != null && recorder.isEnabled() ? recorder : null;
        this.listener = listener;
        beganAt = isHeard() ? System.nanoTime() : 0;
    }

    /** Begins an operation that is told to Flight Recorder alone. */
    public static <O extends Operation> OperationWatch<O> recordedBy(@Nullable OperationRecorder<O> recorder) {
        return new OperationWatch<>(recorder, null);
    }

    /** Describes an operation that has ended. */
    @FunctionalInterface
    public interface Description<O extends Operation> {
        O of(Duration took, Optional<String> failure);
    }

    /** Returns whether anything is told of the operation. */
    public boolean isHeard() {
        return recorder != null || listener != null;
    }

    /** Returns how long it takes so far; zero if it is not heard. */
    public Duration elapsed() {
        return isHeard() ? Duration.ofNanos(System.nanoTime() - beganAt) : Duration.ZERO;
    }

    /** Tells that it has ended well. */
    public void succeeded(Description<O> description) {
        ended(Optional.empty(), description);
    }

    /** Tells that it has failed. */
    public void failed(Throwable why, Description<O> description) {
        if (isHeard()) {
            ended(
                    Optional.of(
                            why instanceof ClocheException known
                                    ? known.code()
                                    : why.getClass().getName()),
                    description);
        }
    }

    private void ended(Optional<String> failure, Description<O> description) {
        if (!isHeard()) {
            return;
        }
        O operation = description.of(elapsed(), failure);
        if (recorder != null) {
            recorder.ended(operation);
        }
        if (listener != null) {
            try {
                listener.accept(operation);
            } catch (Throwable e) {
                logFailed(e);
            }
        }
    }

    static void logFailed(Throwable why) {
        System.getLogger(OperationListener.class.getName())
                .log(System.Logger.Level.WARNING, "a listener of operations failed", why);
    }
}
