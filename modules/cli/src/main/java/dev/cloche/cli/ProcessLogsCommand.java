package dev.cloche.cli;

import dev.cloche.Cloche;
import dev.cloche.LogEntry;
import dev.cloche.ProcessLog;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "logs",
        description = {
            "Print what a command of `cloche exec --detach` wrote: its latest 32 to 64 MiB, until it is pruned.",
            "",
            "What no program has fetched from the guest yet is fetched with -f.",
            ""
        })
final class ProcessLogsCommand implements Callable<Integer> {
    private static final Duration FOR_EVER = Duration.ofDays(3650);

    @Mixin
    private LogOptions options = new LogOptions();

    @Parameters(paramLabel = "PROCESS", description = "Id of the process.")
    private String id = "";

    @Override
    public Integer call() throws InterruptedException {
        options.check();
        try (Cloche cloche = Cloche.open();
                ProcessLog log = cloche.processLog(id)) {
            if (options.follow()) {
                // Who waits may as well bring it about.
                cloche.driveCommands();
            }
            options.print(new LogOptions.Source() {
                @Override
                public Optional<LogEntry> next() {
                    return log.next();
                }

                @Override
                public Optional<LogEntry> await() throws InterruptedException {
                    return log.await(FOR_EVER);
                }
            });
        }
        return ExitCodes.OK;
    }
}
