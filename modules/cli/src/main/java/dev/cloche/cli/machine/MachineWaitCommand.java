package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.MachineInfo;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.SignalForwarding;
import dev.cloche.machine.MachineState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "wait", description = "Wait until a machine is in a state, and print in which.")
final class MachineWaitCommand implements Callable<Integer> {
    @Option(
            names = {"-s", "--state"},
            paramLabel = "STATE",
            description = "running, stopped, suspended, failed, … May be repeated (default: stopped and failed).")
    private List<String> states = new ArrayList<>();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            description = "Give up after this time, for example 30s or 5m.",
            converter = TimeSpan.class)
    private @Nullable Duration timeout;

    @Mixin
    private FormatOption format = new FormatOption();

    @Parameters(index = "0", paramLabel = "NAME", description = "The machine.")
    private String name = "";

    @Override
    public Integer call() throws Exception {
        Set<MachineState> wanted = states.isEmpty()
                ? Set.of(MachineState.STOPPED, MachineState.FAILED)
                : states.stream().map(MachineState::parse).collect(Collectors.toSet());
        try (SignalForwarding signals = new SignalForwarding();
                Cloche cloche = Cloche.open()) {
            return signals.exitCode(() -> {
                MachineInfo machine = timeout == null
                        ? cloche.machines().await(name, wanted)
                        : cloche.machines().await(name, wanted, timeout);
                if (format.json()) {
                    JsonOutput.print(System.out, json -> MachineJson.write(json, machine));
                } else {
                    System.out.println(EnumNames.of(machine.state()));
                }
                return ExitCodes.OK;
            });
        }
    }
}
