package dev.cloche.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Short commands as whole processes, beside the same of {@code msb} (the npm package {@code microsandbox}) where the
 * system property {@code msb} names its program, and beside the least that a JVM costs.
 */
final class CommandStart {
    private final Setting setting;

    CommandStart(Setting setting) {
        this.setting = setting;
    }

    void measure(int rounds, Report report) throws Exception {
        Launcher launcher = setting.launcher();
        launcher.time("run", "-d", "--name", "bench", "base", "--", "sleep", "3600");
        try {
            Alternation turns = new Alternation()
                    .add("`cloche --version`", () -> launcher.time("--version"))
                    .add("`cloche ps`", () -> launcher.time("ps"))
                    .add("`cloche exec SB -- true`", () -> launcher.time("exec", "bench", "--", "true"));
            peer().ifPresent(msb -> turns.add("`msb --version`", () -> launcher.time(List.of(msb, "--version")))
                    .add("`msb ps`", () -> launcher.time(List.of(msb, "ps"))));
            turns.add("an empty Java program", () -> launcher.time(emptyProgram()));
            report.heading("Short commands, whole process");
            report.table(turns.run(rounds));
        } finally {
            launcher.time("rm", "--force", "bench");
        }
    }

    private static Optional<String> peer() {
        return Optional.ofNullable(System.getProperty("msb")).filter(path -> Files.isExecutable(Path.of(path)));
    }

    private static List<String> emptyProgram() {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        return List.of(
                java.toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.cloche.bench.Nothing");
    }
}
