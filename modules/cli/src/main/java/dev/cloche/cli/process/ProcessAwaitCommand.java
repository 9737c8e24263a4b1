package dev.cloche.cli.process;

import dev.cloche.Cloche;
import dev.cloche.ProcessInfo;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.ExitCodes;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "await",
        description = {
            "Wait for the end of a process, and print its output as JSON.",
            "The exit code of a command is in its output.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0: it completed",
            "1: it ended otherwise",
            "124: --timeout passed",
            "126: it is a command that cannot be executed",
            "127: it is a command that was not found in the image"
        })
public final class ProcessAwaitCommand implements Callable<Integer> {
    private static final Duration FOR_EVER = Duration.ofDays(3650);

    @Option(names = "--timeout", paramLabel = "TIME", description = "How long to wait.", converter = TimeSpan.class)
    private Duration timeout = FOR_EVER;

    @Parameters(paramLabel = "PROCESS", description = "Id of the process.")
    private String id = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            // Who waits may as well bring it about.
            cloche.driveCommands();
            Optional<ProcessInfo> ended = cloche.processes().await(id, timeout);
            if (ended.isEmpty()) {
                System.err.println(
                        "cloche: the process \"" + id + "\" has not ended within " + timeout.toSeconds() + " s.");
                return ExitCodes.TIMED_OUT;
            }
            System.out.println(ended.get().output().orElse("null"));
            return exitCode(ended.get());
        }
    }

    private static int exitCode(ProcessInfo ended) {
        int otherwise = ended.status().equals("completed") ? ExitCodes.OK : ExitCodes.FAILURE;
        return ended.failure()
                .map(failure -> ExitCodes.ofStart(failure.code(), otherwise))
                .orElse(otherwise);
    }
}
