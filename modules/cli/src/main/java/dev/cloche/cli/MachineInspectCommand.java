package dev.cloche.cli;

import dev.cloche.Cloche;
import dev.cloche.MachineInfo;
import java.time.Instant;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "inspect", description = "Show everything about a machine.")
final class MachineInspectCommand implements Callable<Integer> {
    @Mixin
    private FormatOption format = new FormatOption();

    @Parameters(index = "0", paramLabel = "NAME", description = "The machine.")
    private String name = "";

    @Override
    public Integer call() {
        MachineInfo machine;
        try (Cloche cloche = Cloche.open()) {
            machine = cloche.machines().get(name);
        }
        if (format.json()) {
            JsonOutput.print(System.out, json -> MachineJson.write(json, machine));
            return ExitCodes.OK;
        }
        Table table = new Table("KEY", "VALUE");
        table.row("name", machine.name());
        table.row("state", machine.state() + (machine.needsRecovery() ? " (interrupted)" : ""));
        table.row("image", machine.image().orElse("-"));
        table.row("cpus", String.valueOf(machine.cpus()));
        table.row("memory", machine.memoryMib() + " MiB");
        table.row("disk", machine.diskGib() + " GiB");
        table.row("network", machine.network());
        machine.publish().forEach(port -> table.row("publish", port));
        table.row("init", machine.init());
        machine.environment().forEach((key, value) -> table.row("env", key + "=" + value));
        machine.labels().forEach((key, value) -> table.row("label", key + "=" + value));
        table.row("autostart", machine.autostart() ? "yes" : "no");
        table.row("restart", machine.restartPolicy());
        table.row("created", machine.createdAt().toString());
        table.row("started", machine.startedAt().map(Instant::toString).orElse("-"));
        table.row("provisioned", machine.provisionedAt().map(Instant::toString).orElse("-"));
        table.row("address", machine.ipAddress().orElse("-"));
        machine.ports().forEach(port -> table.row("port", port.toString()));
        table.row("last error", machine.lastError().orElse("-"));
        table.row("last end", machine.lastEnd().orElse("-"));
        table.row("directory", machine.directory().toString());
        table.print(System.out);
        return ExitCodes.OK;
    }
}
