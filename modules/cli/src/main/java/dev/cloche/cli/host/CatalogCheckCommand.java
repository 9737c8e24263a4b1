package dev.cloche.cli.host;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "check",
        description = {
            "Read all records, all files of images and the memory of all snapshots, and print what is wrong with them, and what",
            "no record has: VMs, sockets, directories. Changes nothing. Takes as long as reading all of it does, and says how long.",
            "The exit code is 1 if something is wrong."
        })
public final class CatalogCheckCommand implements Callable<Integer> {
    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() {
        long begin = System.nanoTime();
        List<String> problems = Cloche.catalog(ClocheOptions.ofEnvironment()).check();
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        System.err.println(String.format(Locale.ROOT, "read everything in %.1f s", millis / 1000.0));
        if (format.json()) {
            JsonOutput.print(
                    System.out,
                    json -> json.object(() -> json.field("problems", problems).field("millis", millis)));
        } else if (problems.isEmpty()) {
            System.out.println("all is sound");
        } else {
            Table table = new Table("PROBLEM");
            problems.forEach(table::row);
            table.print(System.out);
        }
        return problems.isEmpty() ? ExitCodes.OK : ExitCodes.FAILURE;
    }
}
