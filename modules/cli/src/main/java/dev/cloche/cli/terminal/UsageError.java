package dev.cloche.cli.terminal;

import dev.cloche.base.ClocheException;

/** The command line asks for something that does not go together. */
public final class UsageError extends ClocheException {
    public UsageError(String sentence, String remedy) {
        super("cli.usage", sentence, remedy, null);
    }
}
