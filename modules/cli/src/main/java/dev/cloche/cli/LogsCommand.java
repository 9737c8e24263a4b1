package dev.cloche.cli;

import dev.cloche.Cloche;
import dev.cloche.LogEntry;
import dev.cloche.SandboxLog;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "logs",
        description = {
            "Print what the command of a detached sandbox writes: its latest 16 MiB, also after its end.",
            "",
            "Its standard output and error go to those of this command.",
            ""
        })
final class LogsCommand implements Callable<Integer> {
    private static final Duration FOR_EVER = Duration.ofDays(3650);

    @Mixin
    private LogOptions options = new LogOptions();

    @Parameters(paramLabel = "SANDBOX", description = "Name of the sandbox.")
    private String name = "";

    @Override
    public Integer call() throws InterruptedException {
        options.check();
        try (Cloche cloche = Cloche.open();
                SandboxLog log = cloche.log(name)) {
            options.print(new LogOptions.Source() {
                @Override
                public Optional<LogEntry> next() {
                    return log.next();
                }

                @Override
                public Optional<LogEntry> await() {
                    return log.await(FOR_EVER);
                }
            });
        }
        return ExitCodes.OK;
    }
}
