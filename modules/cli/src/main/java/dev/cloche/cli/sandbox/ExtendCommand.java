package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.ExitCodes;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "extend",
        description = {
            "Put off the deadline of a sandbox that runs, which --max-duration has set, and print the new one.",
            "",
            "It holds also for a sandbox of another process, and no process has to stay. A sandbox whose end was asked for is"
                    + " refused.",
            ""
        },
        footerHeading = "%nExamples:%n",
        footer = {"  cloche extend web 1h", "  cloche extend --from-now web 10m"})
final class ExtendCommand implements Callable<Integer> {
    @Option(
            names = "--from-now",
            description = "Count TIME from now and not from the deadline: also to give it one, or an earlier one.")
    private boolean fromNow;

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name of the sandbox.")
    private String name = "";

    @Parameters(
            index = "1",
            paramLabel = "TIME",
            description = "How much longer it may go on: 30s, 5m, 2h or 7d.",
            converter = TimeSpan.class)
    private Duration time = Duration.ZERO;

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            System.out.println(
                    fromNow
                            ? cloche.sandboxes().deadline(name, Instant.now().plus(time))
                            : cloche.sandboxes().extend(name, time));
        }
        return ExitCodes.OK;
    }
}
