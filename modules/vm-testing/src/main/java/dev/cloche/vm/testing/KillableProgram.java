package dev.cloche.vm.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An {@link InstrumentedProgram} in JVMs of its own, each of which may be killed at one of its steps. They start with the classes
 * that the first one has loaded, and share SQLite's library.
 *
 * <p>Its main class calls {@link KillSteps#begin} and {@link KillSteps#end}. Safe for use from several threads.
 */
public final class KillableProgram {
    private static final String SQLITE = "libsqlitejdbc.so";

    private final Path directory;
    private final Class<?> main;
    private final List<String> options;
    private final String classPath;

    private KillableProgram(Path directory, Class<?> main, List<String> options, String classPath) {
        this.directory = directory;
        this.main = main;
        this.options = List.copyOf(options);
        this.classPath = classPath;
    }

    /**
     * Writes it into a directory of the test.
     *
     * @param options of each of its JVMs
     * @param standIns as {@link InstrumentedProgram#write} wants them
     */
    public static KillableProgram write(Path directory, Class<?> main, List<String> options, List<String> standIns)
            throws IOException {
        String classPath = InstrumentedProgram.write(directory.resolve("woven.jar"), standIns);
        try (InputStream library = ClassLoader.getSystemResourceAsStream("org/sqlite/native/Linux/x86_64/" + SQLITE)) {
            if (library == null) {
                throw new IOException("SQLite's library is not on the class path");
            }
            Files.copy(library, directory.resolve(SQLITE), StandardCopyOption.REPLACE_EXISTING);
        }
        return new KillableProgram(directory, main, options, classPath);
    }

    /** Plays it to its end, and keeps the classes that it loaded for those that come after. */
    public void archive(Path output, String... arguments) throws IOException, InterruptedException {
        PlayedProgram whole = play(List.of("-XX:AOTCacheOutput=" + archive()), output, arguments);
        if (whole.exitCode() != 0) {
            throw new IllegalStateException(main.getName() + " does not come to its end: " + whole);
        }
    }

    /** Plays it to its end. Returns how many steps it had. */
    public int rehearse(Path output, String... arguments) throws IOException, InterruptedException {
        PlayedProgram whole = play(List.of(), output, arguments);
        return whole.output()
                .lines()
                .filter(line -> line.startsWith(KillSteps.STEPS) && whole.exitCode() == 0)
                .map(line -> Integer.parseInt(line.substring(KillSteps.STEPS.length())))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(main.getName() + " does not come to its end: " + whole));
    }

    /** Plays it up to a step, from 1, at which it is killed. */
    public PlayedProgram killAt(int step, Path output, String... arguments) throws IOException, InterruptedException {
        return play(List.of("-Dkill.at=" + step), output, arguments);
    }

    /** Returns how to start a JVM with its classes, but for the class and its arguments. */
    public List<String> java(List<String> more) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Xlog:disable",
                "-Xlog:all=error:stderr",
                "-Dorg.sqlite.lib.path=" + directory,
                "-Dorg.sqlite.lib.name=" + SQLITE));
        if (Files.exists(archive())) {
            command.add("-XX:AOTCache=" + archive());
        }
        command.addAll(options);
        command.addAll(more);
        command.addAll(List.of("-cp", classPath));
        return command;
    }

    private Path archive() {
        return directory.resolve("woven.aot");
    }

    private PlayedProgram play(List<String> more, Path output, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = java(more);
        command.add(main.getName());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            process.getOutputStream().close();
            if (!process.waitFor(5, TimeUnit.MINUTES)) {
                throw new IllegalStateException(main.getName() + " hangs: " + Files.readString(output));
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        String text = new String(Files.readAllBytes(output), StandardCharsets.UTF_8).strip();
        return new PlayedProgram(process.exitValue(), text);
    }
}
