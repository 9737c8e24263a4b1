package dev.cloche.cli.terminal;

import dev.cloche.base.ClocheException;
import java.io.IOException;

/** Says that the output of the command could not be written here. */
public final class OutputLost extends ClocheException {
    public OutputLost(IOException cause) {
        super(
                "cli.output-lost",
                "The output of the command could not be written: " + cause.getMessage() + ".",
                "Look at where standard output and error lead.",
                cause);
    }
}
