package dev.cloche.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/** Runs the benchmarks that are named, or all: {@code ./bench [ROUNDS] [cold-run|kernels|start|trips|bulk|pull|layer|commands]...} */
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
            if (names.isEmpty() || names.contains("kernels")) {
                new Kernels(setting).measure(rounds, report);
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
            if (names.isEmpty() || names.contains("pull") || names.contains("layer")) {
                measureImages(names, rounds, setting, report);
            }
            if (names.isEmpty() || names.contains("commands")) {
                new CommandStart(setting).measure(rounds * 2, report);
            }
        } finally {
            Trees.delete(directory);
        }
    }

    private static void measureImages(List<String> names, int rounds, Setting setting, Report report) throws Exception {
        try (PythonImage image = PythonImage.prepare(
                setting.root(), Files.createDirectory(setting.directory().resolve("image")))) {
            if (names.isEmpty() || names.contains("pull")) {
                new PullSpeed(setting, image).measure(rounds, report);
            }
            if (names.isEmpty() || names.contains("layer")) {
                new LayerSpeed(setting, image).measure(rounds, report);
            }
        }
    }
}
