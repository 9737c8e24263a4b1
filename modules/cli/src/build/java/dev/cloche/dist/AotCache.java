package dev.cloche.dist;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Lets the JVM watch the commands of {@code dev.cloche.cli.Training} and keep what they loaded and linked. */
final class AotCache {
    /** Ends a hang, and nothing else: on a machine with a load of 20 it takes longer than five. */
    private static final long MINUTES = 20;

    /** Leaves out which methods were called often: compiling those at once costs a short command more than it gains. */
    private static final List<String> WITHOUT_PROFILES =
            List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTRecordTraining");

    private AotCache() {}

    /**
     * Runs the training.
     *
     * @param share what ./setup made, where it has; without it no VM is booted and the cache knows only the shell around
     * @param natives directory of the native libraries, as the launcher names it
     */
    static void record(Path java, Path options, List<Path> classPath, Path share, Path natives, Path cache)
            throws IOException, InterruptedException {
        Path home = Files.createTempDirectory("cloche-training");
        Path log = Files.createTempFile("cloche-training", ".log");
        try (TrainingRegistry registry = TrainingRegistry.start()) {
            List<String> command =
                    new ArrayList<>(List.of(java.resolve("bin/java").toString(), "@" + options));
            command.addAll(WITHOUT_PROFILES);
            command.addAll(List.of(
                    "-XX:AOTCacheOutput=" + cache,
                    "-Dcloche.share=" + share,
                    "-Dorg.sqlite.lib.path=" + natives,
                    "-Dorg.sqlite.lib.name=libsqlitejdbc.so",
                    "-DZstdNativePath=" + natives.resolve("libzstd-jni.so"),
                    "-cp",
                    classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
                    "dev.cloche.cli.Training",
                    registry.image()));
            ProcessBuilder training = new ProcessBuilder(command)
                    .redirectInput(new File("/dev/null"))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile());
            training.environment().put("CLOCHE_HOME", home.toString());
            training.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
            Process process = training.start();
            if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
                process.destroyForcibly().waitFor();
                throw new IOException("the training run did not end within " + MINUTES + " minutes");
            }
            // The JVM exits 0 also when it could not write the cache.
            if (process.exitValue() != 0 || !Files.exists(cache)) {
                throw new IOException("the training run failed:\n" + Files.readString(log));
            }
        } finally {
            Directories.delete(home);
            Files.delete(log);
        }
    }
}
