package dev.cloche.bench;

import java.nio.file.Files;
import java.nio.file.Path;

/** Wakes in another JVM, on SQLite. */
final class RegistryWakes {
    private final Setting setting;

    RegistryWakes(Setting setting) {
        this.setting = setting;
    }

    void measure(int rounds, Report report) throws Exception {
        Path root = Files.createTempDirectory(setting.directory(), "wakes");
        try (Registry registry = Registry.open(root)) {
            registry.register(WakeLatency.PROCESS);
            var samples = WakeLatency.measure(
                    registry.processes(), Registry.TYPE, RegistryWakes.class, root.toString(), rounds);
            report.heading("Wakes in another JVM, SQLite");
            report.table(samples);
        }
    }

    /** The JVM that waits. */
    public static void main(String[] arguments) {
        try (Registry registry = Registry.open(Path.of(arguments[0]))) {
            WakeLatency.waitForEver(registry.processes());
        }
    }
}
