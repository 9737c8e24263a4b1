package dev.cloche.cli.terminal;

import dev.cloche.ProcessFailure;
import dev.cloche.base.ClocheException;

/** A durable command that could not be started. It has the code that the same command would have failed with otherwise. */
public final class CommandNotStarted extends ClocheException {
    public CommandNotStarted(String id, ProcessFailure failure) {
        super(
                failure.code(),
                failure.message(),
                "Put it right and start it anew; what is recorded of this one: cloche process inspect " + id,
                null);
    }
}
