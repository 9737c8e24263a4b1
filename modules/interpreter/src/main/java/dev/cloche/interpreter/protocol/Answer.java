package dev.cloche.interpreter.protocol;

import dev.cloche.interpreter.CellError;
import dev.cloche.interpreter.MimeBundle;
import dev.cloche.vm.Output;

/** What a driver says. */
public sealed interface Answer {
    /** The driver has an owner now. */
    record Driver(String version) implements Answer {}

    /** There is no place for what was asked for. */
    record Refused() implements Answer {}

    /** The context takes its first cell. */
    record Ready() implements Answer {}

    /** The cell has written something. */
    @SuppressWarnings("ArrayRecordComponent") // Passed on, and never compared.
    record Written(Output output, byte[] piece) implements Answer {}

    /**
     * The cell has shown a value.
     *
     * @param isResult whether it is that of its last expression
     * @param truncated whether a form of it was left out
     * @param size of all forms, in bytes
     */
    record Shown(MimeBundle bundle, boolean isResult, boolean truncated, long size) implements Answer {}

    /** The cell has thrown an error. */
    record Thrown(CellError error, boolean truncated) implements Answer {}

    /** The cell has ended. */
    record Done(boolean interrupted) implements Answer {}

    /** Says whether code is whole. */
    record Checked(boolean complete) implements Answer {}

    /**
     * The process of the context has ended.
     *
     * @param code its exit code, or the signal that killed it as a negative number
     */
    record Ended(int code) implements Answer {}
}
