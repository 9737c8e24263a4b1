package dev.cloche.cli;

import dev.cloche.base.ClocheException;
import java.io.IOException;

/** What the command wrote could not be written on here. */
final class OutputLost extends ClocheException {
    OutputLost(IOException cause) {
        super(
                "cli.output-lost",
                "The output of the command could not be written: " + cause.getMessage() + ".",
                "Look at where standard output and error lead.",
                cause);
    }
}
