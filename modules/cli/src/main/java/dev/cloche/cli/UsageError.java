package dev.cloche.cli;

import dev.cloche.base.ClocheException;

/** The command line asks for something that does not go together. */
final class UsageError extends ClocheException {
    UsageError(String sentence, String remedy) {
        super("cli.usage", sentence, remedy, null);
    }
}
