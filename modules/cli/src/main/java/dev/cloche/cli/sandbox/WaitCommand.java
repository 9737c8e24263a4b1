package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.StatusReached;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "wait",
        description = {
            "Wait until a sandbox has ended, or has another status, and print it.",
            "",
            "Of one that has ended the line is its status, the reason and, where it is known, the exit code of its main"
                    + " command; 128 + N if signal N ended it.",
            ""
        })
final class WaitCommand implements Callable<Integer> {
    private static final int SIGNALLED = 128;

    @Option(
            names = "--for",
            split = ",",
            paramLabel = "STATUS",
            description =
                    "What to wait for: created, starting, running, paused, suspending, suspended, resuming, draining,"
                            + " stopped or crashed. Several are"
                            + " separated by commas (default: ${DEFAULT-VALUE}).",
            defaultValue = "stopped,crashed")
    private List<String> statuses = List.of();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            description = "The longest to wait; without it, for ever.",
            converter = TimeSpan.class)
    private @Nullable Duration timeout;

    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Its name.")
    private String name = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            Set<SandboxStatus> wanted =
                    statuses.stream().map(SandboxStatus::parse).collect(Collectors.toSet());
            Optional<StatusReached> end = timeout == null
                    ? cloche.sandboxes().await(name, wanted)
                    : cloche.sandboxes().await(name, wanted, timeout);
            System.out.println(end.map(WaitCommand::line).orElse("removed"));
        }
        return ExitCodes.OK;
    }

    private static String line(StatusReached end) {
        StringBuilder line = new StringBuilder(EnumNames.of(end.status()));
        end.termination().ifPresent(termination -> {
            line.append(' ').append(EnumNames.of(termination.reason()));
            termination.exitCode().ifPresent(code -> line.append(' ').append(code));
            termination.exitSignal().ifPresent(signal -> line.append(' ').append(SIGNALLED + signal));
        });
        return line.toString();
    }
}
