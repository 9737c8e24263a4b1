package dev.cloche.cli.process;

import dev.cloche.Cloche;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Quantity;
import dev.cloche.cli.terminal.Table;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "prune",
        description = "Forget processes that have ended, with their events; those that a session has a handle to stay.")
public final class ProcessPruneCommand implements Callable<Integer> {
    @Option(
            names = "--unused-for",
            paramLabel = "TIME",
            converter = TimeSpan.class,
            description = "Only those to which nothing has happened for so long, for example 12h or 30d.")
    private Duration unusedFor = Duration.ZERO;

    @Option(names = "--granted", description = "Also those that a session has a handle to.")
    private boolean granted;

    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            List<String> pruned = cloche.processes().prune(unusedFor, granted);
            if (format.json()) {
                JsonOutput.print(System.out, json -> json.object(() -> json.field("processes", pruned)));
            } else {
                pruned.forEach(id -> System.out.println(Table.clean(id)));
                System.err.println("forgot " + Quantity.of(pruned.size(), "process"));
            }
        }
        return ExitCodes.OK;
    }
}
