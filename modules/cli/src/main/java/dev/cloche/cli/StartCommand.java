package dev.cloche.cli;

import dev.cloche.Cloche;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "start",
        description =
                "Start sandboxes that were created or have ended: detached, with the image and command that they have.")
final class StartCommand implements Callable<Integer> {
    @Mixin
    private FormatOption format = new FormatOption();

    @Parameters(arity = "1..*", paramLabel = "SANDBOX", description = "Names of sandboxes.")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open(MakerCommand.options())) {
            return format.json()
                    ? Each.of(names, name -> StartReport.print(cloche, cloche.start(name), System.out), name -> {})
                    : Each.of(names, cloche::start);
        }
    }
}
