package dev.cloche.base;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells a listener and Flight Recorder of operations. Safe for use from several threads. */
public final class Operations {
    static final OperationListener NO_LISTENER = operation -> {};

    private final OperationListener listener;

    private Operations(OperationListener listener) {
        this.listener = listener;
    }

    /** Returns what tells a listener, and Flight Recorder in any case. */
    public static Operations heardBy(OperationListener listener) {
        return new Operations(listener);
    }

    /**
     * Begins an operation.
     *
     * @param subject name of the sandbox or the image
     * @param recorder of Flight Recorder, made just now; null where it is not {@linkplain FlightRecording available}
     */
    public <O extends Operation> OperationWatch<O> begin(
            Class<O> kind, String subject, @Nullable OperationRecorder<O> recorder) {
        return NO_LISTENER.equals(listener)
                ? OperationWatch.recordedBy(recorder)
                : new OperationWatch<>(recorder, hearing(kind, subject));
    }

    private Consumer<Operation> hearing(Class<? extends Operation> kind, String subject) {
        try {
            return listener.begins(kind, subject);
        } catch (Throwable e) {
            OperationWatch.logFailed(e);
            return operation -> {};
        }
    }
}
