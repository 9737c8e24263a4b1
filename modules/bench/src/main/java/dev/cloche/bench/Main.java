package dev.cloche.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Runs the benchmarks that are named, or all: {@code ./bench [ROUNDS] [cold-run|start|trips|bulk|commands]...} */
public final class Main {
    private static final int ROUNDS = 15;

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        List<String> names = new ArrayList<>(List.of(arguments));
        int rounds =
                !names.isEmpty() && names.getFirst().matches("\\d+") ? Integer.parseInt(names.removeFirst()) : ROUNDS;
        Path root =
                Path.of(System.getProperty("cloche.root", ".")).toAbsolutePath().normalize();
        Path directory = Files.createTempDirectory("cloche-bench");
        try {
            Setting setting = Setting.prepare(root, directory);
            Report report = new Report(System.out);
            System.out.println("Date " + LocalDate.now(java.time.ZoneOffset.UTC) + "; " + setting.machine());
            if (names.isEmpty() || names.contains("cold-run")) {
                new ColdRun(setting).measure(rounds, report);
            }
            if (names.isEmpty() || names.contains("start")) {
                new StartShare(setting).measure(rounds, report);
            }
            if (names.isEmpty() || names.contains("trips")) {
                new ChannelTrips(setting).measure(rounds, report);
            }
            if (names.isEmpty() || names.contains("bulk")) {
                new ChannelBulk(setting).measure(rounds, report);
            }
            if (names.isEmpty() || names.contains("commands")) {
                new CommandStart(setting).measure(rounds * 2, report);
            }
        } finally {
            delete(directory);
        }
    }

    private static void delete(Path directory) throws java.io.IOException {
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path path : tree.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
