package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.SignalForwarding;
import dev.cloche.cli.terminal.Table;
import dev.cloche.machine.MachineEvent;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "events", description = "Show what happened to machines, the oldest first.")
final class MachineEventsCommand implements Callable<Integer> {
    @Option(
            names = {"-f", "--follow"},
            description = "Go on with what happens from now on, until it is ended. With json, one object a line.")
    private boolean follow;

    @Mixin
    private FormatOption format = new FormatOption();

    @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "Only of this machine.")
    private @Nullable String name;

    @Override
    public Integer call() throws Exception {
        try (Cloche cloche = Cloche.open()) {
            if (!follow) {
                print(cloche.machines().events().stream().filter(this::wanted).toList());
                return ExitCodes.OK;
            }
            try (SignalForwarding signals = new SignalForwarding()) {
                return signals.exitCode(() -> {
                    cloche.machines().follow(this::printLine);
                    return ExitCodes.OK;
                });
            }
        }
    }

    private boolean wanted(MachineEvent event) {
        return name == null || name.equals(event.machine());
    }

    private void print(List<MachineEvent> events) {
        if (format.json()) {
            JsonOutput.print(
                    System.out,
                    json -> json.array(() -> events.forEach(event -> json.object(() -> write(json, event)))));
            return;
        }
        Table table = new Table("TIME", "MACHINE", "EVENT", "DETAIL");
        events.forEach(event ->
                table.row(event.time().toString(), event.machine(), EnumNames.of(event.kind()), event.detail()));
        table.print(System.out);
    }

    private void printLine(MachineEvent event) {
        if (!wanted(event)) {
            return;
        }
        if (format.json()) {
            JsonOutput.printLine(System.out, json -> write(json, event));
        } else {
            System.out.println(Table.clean(
                    (event.time() + " " + event.machine() + " " + EnumNames.of(event.kind()) + " " + event.detail())
                            .strip()));
        }
    }

    private static void write(JsonOutput json, MachineEvent event) {
        json.field("time", event.time())
                .field("machine", event.machine())
                .field("event", EnumNames.of(event.kind()))
                .field("detail", event.detail());
    }
}
