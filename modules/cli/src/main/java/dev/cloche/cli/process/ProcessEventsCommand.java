package dev.cloche.cli.process;

import dev.cloche.Cloche;
import dev.cloche.Processes;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.process.ProcessEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "events",
        description = {"Print the events of a process, one on each line; with --format json as objects.", ""})
final class ProcessEventsCommand implements Callable<Integer> {
    private static final Duration LOOK_FOR_THE_END = Duration.ofSeconds(30);

    @Option(
            names = "--after",
            paramLabel = "N",
            description = "Only those after the Nth (default: ${DEFAULT-VALUE}).",
            defaultValue = "0")
    private long after;

    @Option(
            names = {"-f", "--follow"},
            description = "Go on until the process has ended.")
    private boolean follow;

    @Mixin
    private FormatOption format = new FormatOption();

    @Parameters(paramLabel = "PROCESS", description = "Id of the process.")
    private String id = "";

    @Override
    public Integer call() {
        if (after < 0) {
            throw new UsageError("--after " + after + " is no number of an event.", "Give 0 or more.");
        }
        try (Cloche cloche = Cloche.open()) {
            Processes processes = cloche.processes();
            if (follow) {
                // Who waits may as well bring it about.
                cloche.driveCommands();
            }
            long seen = after;
            while (true) {
                // Looked at before the events are: those of a process that has ended are then all there.
                boolean ended =
                        NoSuchProcess.orThrow(processes.find(id), id).status().terminal();
                List<ProcessEvent> events = ended || !follow
                        ? processes.events(id, seen)
                        : processes.awaitEvents(id, seen, LOOK_FOR_THE_END);
                events.forEach(this::print);
                if (events.isEmpty() && (ended || !follow)) {
                    return ExitCodes.OK;
                }
                seen = events.isEmpty() ? seen : events.getLast().sequence();
                if (System.out.checkError()) {
                    return ExitCodes.OK;
                }
            }
        }
    }

    private void print(ProcessEvent event) {
        if (format.json()) {
            JsonOutput.printLine(
                    System.out,
                    json -> json.field("sequence", event.sequence())
                            .field("type", event.type())
                            .json("payload", Optional.of(event.payload().text()))
                            .field("replayKey", event.replayKey())
                            .field("at", event.at()));
        } else {
            System.out.println(
                    Table.clean(event.sequence() + "  " + event.at() + "  " + event.type() + "  " + event.payload()));
        }
    }
}
