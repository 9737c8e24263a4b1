package dev.cloche.cli.machine;

import dev.cloche.MachineInfo;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.terminal.CommandWords;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.PortText;
import dev.cloche.machine.BrokenMachine;
import dev.cloche.vm.VmHindrance;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Machines as JSON. */
final class MachineJson {
    private MachineJson() {}

    /** Writes all machines, the broken ones last. */
    static void write(JsonOutput json, List<MachineInfo> machines, List<BrokenMachine> broken) {
        json.array(() -> {
            machines.forEach(machine -> write(json, machine));
            broken.forEach(entry -> write(json, entry));
        });
    }

    static void write(JsonOutput json, MachineInfo machine) {
        json.object(() -> {
            json.field("name", machine.name())
                    .field("state", EnumNames.of(machine.state()))
                    .field("needsRecovery", machine.needsRecovery())
                    .field("image", machine.image())
                    .field("cpus", machine.cpus())
                    .field("memoryMib", machine.memoryMib())
                    .field("diskGib", machine.diskGib())
                    .field("network", EnumNames.of(machine.network()))
                    .field("publish", machine.publish())
                    .field("init", machine.init().value());
            map(json, "environment", machine.environment());
            map(json, "labels", machine.labels());
            json.field("autostart", machine.autostart())
                    .field("restartPolicy", EnumNames.of(machine.restartPolicy()))
                    .field("isolation", machine.isolation().map(EnumNames::of))
                    .field("diskIops", machine.diskThrottle().iops())
                    .field("diskBytesPerSecond", machine.diskThrottle().bytesPerSecond())
                    .field("createdAt", machine.createdAt())
                    .field("startedAt", machine.startedAt().map(Instant::toString))
                    .field("provisionedAt", machine.provisionedAt().map(Instant::toString))
                    .field("ipAddress", machine.ipAddress())
                    .field("lastError", machine.lastError())
                    .field("lastEnd", machine.lastEnd())
                    .field("ports", PortText.of(machine.ports()))
                    .field("directory", machine.directory().toString())
                    .field("vmId", machine.vmId().value())
                    .field("imageDigest", machine.imageDigest())
                    .field("distro", machine.distro())
                    .field("provision", machine.provision())
                    .field("unsupported", machine.unsupported())
                    .field("hindrance", machine.hindrance().map(EnumNames::of))
                    .field("remedy", machine.hindrance().map(VmHindrance::remedy));
        });
    }

    static void write(JsonOutput json, BrokenMachine broken) {
        json.object(() -> json.field("name", broken.name())
                .field("state", "broken")
                .field("file", broken.file().toString())
                .field("line", broken.line())
                .field("reason", broken.reason())
                .field("remedy", CommandWords.of(broken.remedy())));
    }

    private static void map(JsonOutput json, String name, Map<String, String> values) {
        json.name(name).object(() -> values.forEach(json::field));
    }
}
