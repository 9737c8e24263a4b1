package dev.cloche.cli.pool;

import dev.cloche.Cloche;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "prune", description = "Remove the templates that no sandbox runs from, and print their names.")
public final class TemplatePruneCommand implements Callable<Integer> {
    @Option(
            names = "--unused-for",
            paramLabel = "TIME",
            converter = TimeSpan.class,
            description = "Only those that no sandbox was started from for so long, and those whose image is gone.")
    private Duration unusedFor = Duration.ZERO;

    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            List<String> removed = cloche.templates().prune(unusedFor);
            if (format.json()) {
                JsonOutput.print(System.out, json -> json.object(() -> json.field("templates", removed)));
            } else {
                removed.forEach(System.out::println);
            }
        }
        return ExitCodes.OK;
    }
}
