package dev.cloche.bench.probe;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Counts the appends per second of several callers at once, in rounds of a second. */
public final class AppendRate {
    private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private AppendRate() {}

    @FunctionalInterface
    public interface Append {
        /** Appends once; callers and the numbers of each begin at 0. */
        void run(int caller, long number);
    }

    /** Returns the appends per second of {@code callers} threads in one round. */
    public static double of(int callers, Append append) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newFixedThreadPool(callers)) {
            List<Future<Long>> running = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                int caller = i;
                running.add(threads.submit(() -> {
                    start.await();
                    long end = System.nanoTime() + ROUND_NANOS;
                    long done = 0;
                    while (System.nanoTime() - end < 0) {
                        append.run(caller, done++);
                    }
                    return done;
                }));
            }
            long begin = System.nanoTime();
            start.countDown();
            long all = 0;
            for (Future<Long> each : running) {
                all += each.get();
            }
            return all / ((System.nanoTime() - begin) / 1e9);
        }
    }

    /** Returns a row of a table: what, the rounds, the medians of both sides and their ratio. */
    public static String row(String what, double[] ours, double[] other) {
        double a = median(ours);
        double b = median(other);
        return String.format(Locale.ROOT, "| %s | %d | %.0f | %.0f | %.2f |", what, ours.length, a, b, a / b);
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
