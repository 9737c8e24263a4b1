package dev.cloche.cli.host;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonLog;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "keep",
        description = {
            "Stay, and keep the detached sandboxes that no other process owns, and the named machines.",
            "",
            "Their ends are recorded at once, and their idle timeouts and restart policies acted on, also of those that are"
                    + " started while this runs. They go on when it ends, and the next process that keeps sandboxes takes them"
                    + " over. It drives the commands of `cloche exec --detach` too. Applications that use the library and have called Cloche.adopt() do the same; several may run.",
            ""
        })
public final class KeepCommand implements Callable<Integer> {
    private enum LogFormat {
        TEXT,
        JSON
    }

    @Option(
            names = "--log-format",
            paramLabel = "FORMAT",
            description =
                    "What standard error has: text (default), warnings and errors as sentences; or json, these and the"
                            + " life of the sandboxes as an object on each line.")
    private LogFormat logFormat = LogFormat.TEXT;

    @Override
    public Integer call() throws InterruptedException {
        if (logFormat == LogFormat.JSON) {
            JsonLog.use();
        }
        CountDownLatch signalled = new CountDownLatch(1);
        try (Cloche cloche = Cloche.open()) {
            cloche.adopt();
            cloche.driveCommands();
            // SIGINT and SIGTERM end the JVM, whose end releases everything; nothing else counts this down.
            signalled.await();
        }
        return ExitCodes.OK;
    }
}
