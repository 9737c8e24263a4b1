package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.pool.MakerCommand;
import dev.cloche.cli.terminal.Each;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "start",
        description =
                "Start sandboxes that were created or have ended: detached, with the image and command that they have.")
public final class StartCommand implements Callable<Integer> {
    @Mixin
    private FormatOption format = new FormatOption();

    @Mixin
    private SandboxNames names = new SandboxNames();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open(MakerCommand.options())) {
            return format.json()
                    ? Each.of(
                            names.all(),
                            name -> StartReport.print(cloche, cloche.sandboxes().start(name), System.out),
                            name -> {})
                    : Each.of(names.all(), cloche.sandboxes()::start);
        }
    }
}
