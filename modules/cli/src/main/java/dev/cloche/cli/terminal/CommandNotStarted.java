package dev.cloche.cli.terminal;

import dev.cloche.base.ClocheException;
import dev.cloche.process.AwaitOutput;

/** A durable command that could not be started. It has the code that the same command would have failed with otherwise. */
public final class CommandNotStarted extends ClocheException {
    public CommandNotStarted(String id, AwaitOutput.Failure failure) {
        super(
                failure.code(),
                failure.message(),
                "Put it right and start it anew; what is recorded of this one: cloche process inspect " + id,
                null);
    }
}
