package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.MachineInfo;
import dev.cloche.MachineList;
import dev.cloche.Machines;
import dev.cloche.base.NameSuggestions;
import dev.cloche.cli.terminal.Each;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.machine.BrokenMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "rm", description = "Remove machines with their disks and all that belongs to them.")
final class MachineRmCommand implements Callable<Integer> {
    @Option(
            names = {"-f", "--force"},
            description = "Also those that run or are broken; one that is gone is no error.")
    private boolean force;

    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of machines.")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names, name -> remove(cloche.machines(), name));
        }
    }

    private void remove(Machines machines, String name) {
        if (!machines.remove(name, force) && !force) {
            MachineList all = machines.list();
            List<String> there = Stream.concat(
                            all.machines().stream().map(MachineInfo::name),
                            all.broken().stream().map(BrokenMachine::name))
                    .toList();
            throw new UsageError(
                    "There is no machine named \"" + name + "\".",
                    NameSuggestions.remedy(name, there, "List them with: cloche machine ls"));
        }
    }
}
