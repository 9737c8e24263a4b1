package dev.cloche.bench.probe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Has what something took of the clock and of the processors, in nanoseconds. The second depends little on what else a host does.
 */
public record Spent(long wall, long processor) {
    /** Returns what a process has taken since {@code begin} of {@link System#nanoTime}, with all threads that it has. */
    public static Spent since(long begin, long pid) throws IOException {
        long wall = System.nanoTime() - begin;
        List<Path> threads;
        try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
            threads = tasks.toList();
        }
        long processor = 0;
        for (Path thread : threads) {
            String statistics = Files.readString(thread.resolve("schedstat"));
            processor += Long.parseLong(statistics.substring(0, statistics.indexOf(' ')));
        }
        return new Spent(wall, processor);
    }
}
