package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.Machines;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.UsageError;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "default",
        description = "Say which machine is meant where none is named, or, with a name, make it that one.")
final class MachineDefaultCommand implements Callable<Integer> {
    @Mixin
    private FormatOption format = new FormatOption();

    @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "The machine.")
    private @Nullable String name;

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            Machines machines = cloche.machines();
            if (name != null) {
                machines.makeDefault(name);
            }
            Optional<String> now = machines.defaultName();
            if (format.json()) {
                JsonOutput.print(System.out, json -> json.object(() -> json.field("default", now)));
            } else {
                System.out.println(required(machines));
            }
        }
        return ExitCodes.OK;
    }

    /** @throws UsageError if there is none */
    static String required(Machines machines) {
        return machines.defaultName()
                .orElseThrow(() -> new UsageError(
                        "No machine is named, and there is no default one.",
                        "Name one, or choose one with: cloche machine default NAME"));
    }
}
