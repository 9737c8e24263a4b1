package dev.cloche.bench;

import dev.cloche.base.Deadline;
import dev.cloche.process.EventAppend;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * From the call of an append to the return of a wait for it in another JVM, beside the append alone. Both read
 * CLOCK_MONOTONIC, which all programs of a host share.
 */
final class RegistryWakes {
    private static final int EVENTS_A_ROUND = 40;
    private static final double MILLI = 1e6;

    private final Setting setting;

    RegistryWakes(Setting setting) {
        this.setting = setting;
    }

    void measure(int rounds, Report report) throws Exception {
        int count = rounds * EVENTS_A_ROUND;
        Path root = Files.createTempDirectory(setting.directory(), "wakes");
        double[] appends = new double[count];
        double[] wakes = new double[count];
        try (Registry registry = Registry.open(root)) {
            registry.register("p");
            Process waiter = start(root);
            try (BufferedReader answers = waiter.inputReader()) {
                answers.readLine();
                for (int i = -EVENTS_A_ROUND; i < count; i++) {
                    long begin = System.nanoTime();
                    registry.processes().append("p", EventAppend.of(Registry.TYPE, Json.NULL));
                    long done = System.nanoTime();
                    long woken = Long.parseLong(answers.readLine());
                    if (i >= 0) {
                        appends[i] = (done - begin) / MILLI;
                        wakes[i] = (woken - begin) / MILLI;
                    }
                    // Until it waits again.
                    Thread.sleep(5);
                }
            } finally {
                waiter.destroyForcibly().waitFor();
            }
        }
        report.heading("Wakes in another JVM, SQLite");
        report.table(List.of(new Samples("append to wake", wakes), new Samples("the append alone", appends)));
    }

    private static Process start(Path root) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RegistryWakes.class.getName(),
                        root.toString())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** The JVM that waits: prints when it was woken, for ever. */
    public static void main(String[] arguments) {
        try (Registry registry = Registry.open(Path.of(arguments[0]))) {
            System.out.println("ready");
            long seen = 0;
            while (true) {
                for (ProcessEvent event :
                        registry.processes().awaitEventsAfter("p", seen, 10, Deadline.after(Duration.ofMinutes(1)))) {
                    System.out.println(System.nanoTime());
                    seen = event.sequence();
                }
            }
        }
    }
}
