package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.MachineList;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "recover",
        description = {
            "Hold all machines against what runs, as after a crash: what is alive is adopted, what has ended is written"
                    + " down, and started again if its restart policy says so.",
            ""
        })
final class MachineRecoverCommand implements Callable<Integer> {
    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() {
        MachineList list;
        try (Cloche cloche = Cloche.open()) {
            list = cloche.machines().recover();
        }
        if (format.json()) {
            JsonOutput.print(System.out, json -> MachineJson.write(json, list.machines(), list.broken()));
        } else {
            list.machines()
                    .forEach(machine -> System.out.println(machine.name() + " " + EnumNames.of(machine.state())));
        }
        return ExitCodes.OK;
    }
}
