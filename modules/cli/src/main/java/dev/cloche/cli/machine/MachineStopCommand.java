package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.cli.option.GraceOption;
import dev.cloche.cli.terminal.Each;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "stop",
        description =
                "Stop machines: their init, or their processes, are asked to end, and killed after a time of grace.")
final class MachineStopCommand implements Callable<Integer> {
    @Mixin
    private GraceOption time = new GraceOption();

    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of machines.")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names, name -> cloche.machines().stop(name, time.grace()));
        }
    }
}
