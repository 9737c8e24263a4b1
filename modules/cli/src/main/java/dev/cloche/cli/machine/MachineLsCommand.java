package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.MachineInfo;
import dev.cloche.MachineList;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.option.KeyValue;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import dev.cloche.machine.BrokenMachine;
import dev.cloche.vm.VmHindrance;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "ls",
        description = "List all machines. Those whose configuration is broken are listed with what is wrong.")
final class MachineLsCommand implements Callable<Integer> {
    @Option(
            names = {"-l", "--label"},
            paramLabel = "NAME=VALUE",
            description = "Only those with this label. May be repeated.",
            converter = KeyValue.Converter.class)
    private List<KeyValue> labels = new ArrayList<>();

    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            print(cloche.machines().list(), System.out);
        }
        return ExitCodes.OK;
    }

    private static String note(MachineInfo machine) {
        if (!machine.unsupported().isEmpty()) {
            return "asks for " + String.join(", ", machine.unsupported()) + ", which Cloche cannot do";
        }
        return machine.needsRecovery()
                ? "interrupted: cloche machine recover"
                : machine.hindrance()
                        .map(VmHindrance::remedy)
                        .or(machine::lastError)
                        .orElse("");
    }

    private boolean wanted(MachineInfo machine) {
        return labels.stream()
                .allMatch(label -> label.value().equals(machine.labels().get(label.name())));
    }

    private void print(MachineList list, PrintStream out) {
        List<MachineInfo> machines =
                list.machines().stream().filter(this::wanted).toList();
        // What is broken has no labels that could be trusted, and is never hidden.
        if (format.json()) {
            JsonOutput.print(out, json -> MachineJson.write(json, machines, list.broken()));
            return;
        }
        Table table = new Table("NAME", "IMAGE", "STATE", "CPUS", "MEMORY", "DISK", "NOTE");
        for (MachineInfo machine : machines) {
            table.row(
                    machine.name(),
                    machine.image().orElse("-"),
                    EnumNames.of(machine.state())
                            + machine.hindrance()
                                    .map(why -> " (" + EnumNames.of(why).replace('-', ' ') + ")")
                                    .orElse(""),
                    String.valueOf(machine.cpus()),
                    machine.memoryMib() + " MiB",
                    machine.diskGib() + " GiB",
                    note(machine));
        }
        for (BrokenMachine broken : list.broken()) {
            String line = broken.line().isPresent() ? ":" + broken.line().getAsInt() : "";
            table.row(broken.name(), "-", "broken", "-", "-", "-", broken.file() + line + ": " + broken.reason());
        }
        table.print(out);
    }
}
