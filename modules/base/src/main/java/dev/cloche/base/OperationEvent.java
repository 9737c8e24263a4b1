package dev.cloche.base;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** Records an operation as an event of JDK Flight Recorder, from when this is made until it has ended. */
@Category("Cloche")
@StackTrace(false)
public abstract class OperationEvent<O extends Operation> extends Event implements OperationRecorder<O> {
    @Label("Failure")
    @Description("Code of the error that ended it, or its class; none if it succeeded")
    protected @Nullable String failure;

    @SuppressWarnings("this-escape") // All it does is to take the time.
    protected OperationEvent() {
        begin();
    }

    /** Sets the fields. */
    protected abstract void describe(O operation);

    @Override
    public final void ended(O operation) {
        end();
        if (shouldCommit()) {
            failure = operation.failure().orElse(null);
            describe(operation);
            commit();
        }
    }
}
