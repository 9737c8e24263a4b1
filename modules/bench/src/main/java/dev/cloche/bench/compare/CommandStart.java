package dev.cloche.bench.compare;

import dev.cloche.bench.probe.Launcher;
import dev.cloche.bench.probe.Peer;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import java.nio.file.Path;
import java.util.List;

/**
 * Measures short commands as whole processes, each beside the same of {@code msb} (the npm package {@code
 * microsandbox}), where the system property {@code msb} names its program, and beside the least that a JVM costs.
 * {@code msb exec} is not compared: it needs a VM of its own, and so KVM.
 */
public final class CommandStart {
    private final Setting setting;
    private final Launcher launcher;

    public CommandStart(Setting setting) {
        this.setting = setting;
        this.launcher = setting.launcher();
    }

    public void measure(int rounds, Report report) throws Exception {
        launcher.time("run", "-d", "--name", "bench", "base", "--", "sleep", "3600");
        try {
            report.heading("Short commands, whole process");
            report.table(beside("--version").run(rounds));
            report.table(beside("ps").run(rounds));
            report.table(new Alternation()
                    .add("`cloche exec SB -- true`", () -> launcher.time("exec", "bench", "--", "true"))
                    .add("an empty Java program", () -> launcher.time(emptyProgram()))
                    .run(rounds));
        } finally {
            launcher.time("rm", "--force", "bench");
        }
    }

    private Alternation beside(String command) {
        Alternation turns = new Alternation()
                .add("`cloche " + command + "`", () -> launcher.time(command))
                .add("an empty Java program", () -> launcher.time(emptyProgram()));
        Peer.msb().ifPresent(msb -> turns.add("`msb " + command + "`", () -> launcher.time(List.of(msb, command))));
        return turns;
    }

    private List<String> emptyProgram() {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        Path jar = setting.root().resolve("modules/bench/target/cloche-bench.jar");
        return List.of(
                java.toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                jar.toString(),
                "dev.cloche.bench.probe.Nothing");
    }
}
