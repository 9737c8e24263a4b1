package dev.cloche.bench.compare;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Measures starts and stops of sandboxes, one at a time and several at once. */
public final class SandboxStarts {
    private static final List<Integer> CONCURRENCY = List.of(1, 4, 8);

    private final Setting setting;

    public SandboxStarts(Setting setting) {
        this.setting = setting;
    }

    /**
     * Measures one at a time and several at once.
     *
     * @param rounds of each worker
     */
    public void measure(int rounds, Report report) throws Exception {
        report.heading("Starts and stops of sandboxes");
        try (Cloche cloche = Cloche.open(setting.options())) {
            cycle(cloche, new ArrayList<>(), new ArrayList<>());
            for (int workers : CONCURRENCY) {
                List<Double> starts = Collections.synchronizedList(new ArrayList<>());
                List<Double> stops = Collections.synchronizedList(new ArrayList<>());
                together(workers, () -> {
                    for (int round = 0; round < rounds; round++) {
                        cycle(cloche, starts, stops);
                    }
                });
                report.note("With " + workers + " at once:");
                report.table(List.of(
                        samples("start, to a guest that answers", starts),
                        samples("stop in order, to the removal of an ephemeral one", stops)));
            }
        }
    }

    private static void cycle(Cloche cloche, List<Double> starts, List<Double> stops) {
        long begin = System.nanoTime();
        try (Sandbox sandbox = cloche.sandbox("base").memoryMib(256).start()) {
            long ready = System.nanoTime();
            sandbox.stop(Duration.ofSeconds(5));
            stops.add((System.nanoTime() - ready) / 1e6);
            starts.add((ready - begin) / 1e6);
        }
    }

    private static void together(int workers, Runnable work) throws InterruptedException, ExecutionException {
        List<Future<?>> all = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < workers; i++) {
                all.add(threads.submit(work));
            }
        }
        for (Future<?> each : all) {
            each.get();
        }
    }

    private static Samples samples(String name, List<Double> millis) {
        return new Samples(
                name, millis.stream().mapToDouble(Double::doubleValue).toArray());
    }
}
