package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.Machines;
import dev.cloche.cli.option.GraceOption;
import dev.cloche.cli.terminal.Each;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "restart", description = "Stop machines and start them again.")
final class MachineRestartCommand implements Callable<Integer> {
    @Mixin
    private GraceOption time = new GraceOption();

    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of machines.")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            Machines machines = cloche.machines();
            return Each.of(names, name -> {
                machines.stop(name, time.grace());
                machines.start(name).close();
                MachineStarts.warn(machines, name);
            });
        }
    }
}
