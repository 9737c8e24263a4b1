package dev.cloche.cli;

import dev.cloche.BrokenMachine;
import dev.cloche.MachineInfo;
import dev.cloche.PublishedPort;
import java.time.Instant;
import java.util.Map;

/** Machines as JSON. */
final class MachineJson {
    private MachineJson() {}

    static void write(JsonOutput json, MachineInfo machine) {
        json.object(() -> {
            json.field("name", machine.name())
                    .field("state", machine.state())
                    .field("needsRecovery", machine.needsRecovery())
                    .field("image", machine.image())
                    .field("cpus", machine.cpus())
                    .field("memoryMib", machine.memoryMib())
                    .field("diskGib", machine.diskGib())
                    .field("network", machine.network())
                    .field("publish", machine.publish())
                    .field("init", machine.init());
            map(json, "environment", machine.environment());
            map(json, "labels", machine.labels());
            json.field("autostart", machine.autostart())
                    .field("restartPolicy", machine.restartPolicy())
                    .field("createdAt", machine.createdAt())
                    .field("startedAt", machine.startedAt().map(Instant::toString))
                    .field("provisionedAt", machine.provisionedAt().map(Instant::toString))
                    .field("ipAddress", machine.ipAddress())
                    .field("lastError", machine.lastError())
                    .field(
                            "ports",
                            machine.ports().stream()
                                    .map(PublishedPort::toString)
                                    .toList())
                    .field("directory", machine.directory().toString());
        });
    }

    static void write(JsonOutput json, BrokenMachine broken) {
        json.object(() -> json.field("name", broken.name())
                .field("state", "broken")
                .field("file", broken.file().toString())
                .field("line", broken.line())
                .field("reason", broken.reason()));
    }

    private static void map(JsonOutput json, String name, Map<String, String> values) {
        json.name(name).object(() -> values.forEach(json::field));
    }
}
