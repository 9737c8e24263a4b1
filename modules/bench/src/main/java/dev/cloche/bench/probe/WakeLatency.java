package dev.cloche.bench.probe;

import dev.cloche.base.Deadline;
import dev.cloche.bench.report.Samples;
import dev.cloche.process.EventAppend;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Measures from the call of an append to the return of a wait for it in another JVM, beside the append alone. Both JVMs read
 * CLOCK_MONOTONIC, which a host has one of.
 */
public final class WakeLatency {
    /** The process whose events are appended and waited for. */
    public static final String PROCESS = "p";

    private static final int EVENTS_A_ROUND = 40;
    private static final double MILLI = 1e6;

    private WakeLatency() {}

    /**
     * Measures wakes of one waiter.
     *
     * @param waiter has a main method that opens the same store by its one argument and calls {@link #waitForEver}
     */
    public static List<Samples> measure(
            ProcessRegistry registry, String type, Class<?> waiter, String store, int rounds)
            throws IOException, InterruptedException {
        int count = rounds * EVENTS_A_ROUND;
        double[] appends = new double[count];
        double[] wakes = new double[count];
        Process other = start(waiter, store);
        try (BufferedReader answers = other.inputReader()) {
            answers.readLine();
            for (int i = -EVENTS_A_ROUND; i < count; i++) {
                long begin = System.nanoTime();
                registry.append(PROCESS, EventAppend.of(type, Json.NULL));
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
            other.destroyForcibly().waitFor();
        }
        return List.of(new Samples("append to wake", wakes), new Samples("the append alone", appends));
    }

    private static Process start(Class<?> waiter, String store) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        waiter.getName(),
                        store)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Prints when it was woken, until it is killed. */
    public static void waitForEver(ProcessRegistry registry) {
        System.out.println("ready");
        long seen = 0;
        while (true) {
            for (ProcessEvent event :
                    registry.awaitEventsAfter(PROCESS, seen, 10, Deadline.after(Duration.ofMinutes(1)))) {
                System.out.println(System.nanoTime());
                seen = event.sequence();
            }
        }
    }
}
