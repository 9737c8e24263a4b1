package dev.cloche.bench.compare;

import dev.cloche.bench.probe.Registry;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.probe.WakeLatency;
import dev.cloche.bench.report.Report;
import java.nio.file.Files;
import java.nio.file.Path;

/** Measures wakes in another JVM, on SQLite. */
public final class RegistryWakes {
    private final Setting setting;

    public RegistryWakes(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        Path root = Files.createTempDirectory(setting.directory(), "wakes");
        try (Registry registry = Registry.open(root)) {
            registry.register(WakeLatency.PROCESS);
            var samples = WakeLatency.measure(
                    registry.processes(), Registry.TYPE, RegistryWakes.class, root.toString(), rounds);
            report.heading("Wakes in another JVM, SQLite");
            report.table(samples);
        }
    }

    /** Runs the JVM that waits. */
    public static void main(String[] arguments) {
        try (Registry registry = Registry.open(Path.of(arguments[0]))) {
            WakeLatency.waitForEver(registry.processes());
        }
    }
}
