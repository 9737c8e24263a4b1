package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.MachineInfo;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.option.DiskLimitOptions;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.CommandWords;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.PortText;
import dev.cloche.cli.terminal.Table;
import dev.cloche.machine.BrokenMachine;
import java.time.Instant;
import java.util.Optional;
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
        try (Cloche cloche = Cloche.open()) {
            Optional<BrokenMachine> broken = cloche.machines().broken(name);
            if (broken.isPresent()) {
                print(broken.get());
            } else {
                print(cloche.machines().get(name));
            }
        }
        return ExitCodes.OK;
    }

    private void print(BrokenMachine machine) {
        if (format.json()) {
            JsonOutput.print(System.out, json -> MachineJson.write(json, machine));
            return;
        }
        Table table = new Table("KEY", "VALUE");
        table.row("name", machine.name());
        table.row("state", "broken");
        table.row("file", machine.file().toString());
        machine.line().ifPresent(line -> table.row("line", String.valueOf(line)));
        table.row("reason", machine.reason());
        table.row("remedy", CommandWords.of(machine.remedy()));
        table.print(System.out);
    }

    private void print(MachineInfo machine) {
        if (format.json()) {
            JsonOutput.print(System.out, json -> MachineJson.write(json, machine));
            return;
        }
        Table table = new Table("KEY", "VALUE");
        table.row("name", machine.name());
        table.row("state", EnumNames.of(machine.state()) + (machine.needsRecovery() ? " (interrupted)" : ""));
        machine.hindrance().ifPresent(why -> {
            table.row("hindered by", EnumNames.of(why));
            table.row("remedy", why.remedy());
        });
        if (!machine.unsupported().isEmpty()) {
            table.row("not supported", String.join(", ", machine.unsupported()));
        }
        table.row("vm", machine.vmId().value());
        table.row("image", machine.image().orElse("-"));
        table.row("image digest", machine.imageDigest().orElse("-"));
        machine.distro().ifPresent(distro -> table.row("distribution", distro));
        table.row("cpus", String.valueOf(machine.cpus()));
        table.row("memory", machine.memoryMib() + " MiB");
        table.row("disk", machine.diskGib() + " GiB");
        DiskLimitOptions.words(machine.diskThrottle()).ifPresent(limits -> table.row("disk limits", limits));
        table.row("network", EnumNames.of(machine.network()));
        machine.publish().forEach(port -> table.row("publish", port));
        table.row("init", machine.init().value());
        machine.environment().forEach((key, value) -> table.row("env", key + "=" + value));
        machine.labels().forEach((key, value) -> table.row("label", key + "=" + value));
        table.row("autostart", machine.autostart() ? "yes" : "no");
        table.row("restart", EnumNames.of(machine.restartPolicy()));
        table.row("isolation", machine.isolation().map(EnumNames::of).orElse("-"));
        table.row("created", machine.createdAt().toString());
        table.row("started", machine.startedAt().map(Instant::toString).orElse("-"));
        table.row("provision", machine.provision().orElse("-"));
        table.row("provisioned", machine.provisionedAt().map(Instant::toString).orElse("-"));
        table.row("address", machine.ipAddress().orElse("-"));
        PortText.of(machine.ports()).forEach(port -> table.row("port", port));
        table.row("last error", machine.lastError().orElse("-"));
        table.row("last end", machine.lastEnd().orElse("-"));
        table.row("directory", machine.directory().toString());
        table.print(System.out);
    }
}
