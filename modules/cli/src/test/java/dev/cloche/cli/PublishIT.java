package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The build's last step, with a tiny program in the place of ours. */
class PublishIT {
    @TempDir
    Path directory;

    private Path dist;
    private Path launcher;

    @BeforeEach
    void anInstallation() throws IOException {
        dist = directory.resolve("dist");
        launcher = Files.copy(Shell.CHECKOUT.resolve("cloche"), directory.resolve("cloche"));
        Files.createDirectory(directory.resolve("lib"));
        Files.copy(Shell.CHECKOUT.resolve("lib/start.sh"), directory.resolve("lib/start.sh"));
    }

    @Test
    void aChangedJarIsWhatRunsNext() throws Exception {
        publish("one");
        assertThat(start()).isEqualTo(new Shell.Result(0, "one\n", ""));

        publish("two");
        assertThat(start()).isEqualTo(new Shell.Result(0, "two\n", ""));
    }

    @Test
    void theSameJarsAreLeftAlone() throws Exception {
        publish("one");
        Path cache = dist.resolve("app").resolve(current()).resolve("cloche.aot");
        FileTime made = Files.getLastModifiedTime(cache);

        publish("one");

        assertThat(Files.getLastModifiedTime(cache)).isEqualTo(made);
        assertThat(generations()).hasSize(1);
    }

    @Test
    void theGenerationBeforeStaysAndOlderOnesGo() throws Exception {
        publish("one");
        publish("two");
        String before = current();
        publish("three");

        assertThat(generations()).containsExactlyInAnyOrder(before, current());
    }

    @Test
    void aProgramThatFailsInTrainingIsNotPublished() throws Exception {
        publish("one");

        Shell.Result result = run(jar("two", "throw new IllegalStateException(\"in training\");"));

        assertThat(result.exitCode()).isNotZero();
        assertThat(result.err()).contains("in training");
        assertThat(start()).isEqualTo(new Shell.Result(0, "one\n", ""));
    }

    @Test
    void whatAnInterruptedBuildLeftIsReplaced() throws Exception {
        Files.createDirectories(dist.resolve("app/.new/lib"));
        Files.writeString(dist.resolve("app/.new/lib/half.jar"), "half");

        publish("one");

        assertThat(start()).isEqualTo(new Shell.Result(0, "one\n", ""));
        assertThat(generations()).containsExactly(current());
    }

    @Test
    void everyUserMayReadWhatWasPublished() throws Exception {
        publish("one");

        try (Stream<Path> files = Files.walk(dist.resolve("app").resolve(current()))) {
            assertThat(files)
                    .allSatisfy(file -> assertThat(
                                    Files.getPosixFilePermissions(file).toString())
                            .contains("OTHERS_READ"));
        }
    }

    private Shell.Result start() throws IOException, InterruptedException {
        return Shell.run(directory, Map.of(), List.of(launcher.toString()));
    }

    private void publish(String words) throws IOException, InterruptedException {
        Shell.Result result = run(jar(words, ""));
        assertThat(result.exitCode()).as(result.err()).isZero();
    }

    private Shell.Result run(Path jar) throws IOException, InterruptedException {
        return Shell.run(
                directory,
                Map.of(),
                List.of(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        Path.of("src/build/java/dev/cloche/dist/Publish.java")
                                .toAbsolutePath()
                                .toString(),
                        jar.toString(),
                        librariesWithNativeParts(),
                        Path.of("src/build").toAbsolutePath().toString(),
                        dist.toString()));
    }

    private static String librariesWithNativeParts() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(jar -> jar.contains("sqlite-jdbc-") || jar.contains("zstd-jni-"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** A program that says {@code words} and is trained by {@code training}. */
    private Path jar(String words, String training) throws IOException {
        Path sources = Files.createDirectories(directory.resolve("sources"));
        Path main = sources.resolve("Main.java");
        Files.writeString(main, """
                package dev.cloche.cli;
                public class Main { public static void main(String[] a) { System.out.println("%s"); } }
                class Training { public static void main(String[] a) { Main.main(a); %s } }
                """.formatted(words, training));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Path classes = Files.createDirectories(directory.resolve("classes"));
        assertThat(compiler.run(null, null, null, "-d", classes.toString(), main.toString()))
                .isZero();
        Path jar = directory.resolve("program.jar");
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file)) {
            for (String name : List.of("dev/cloche/cli/Main.class", "dev/cloche/cli/Training.class")) {
                JarEntry entry = new JarEntry(name);
                entry.setTime(0);
                out.putNextEntry(entry);
                Files.copy(classes.resolve(name), out);
                out.closeEntry();
            }
        }
        return jar;
    }

    private String current() throws IOException {
        return Files.readAllLines(dist.resolve("current")).getFirst();
    }

    private List<String> generations() throws IOException {
        try (Stream<Path> apps = Files.list(dist.resolve("app"))) {
            return apps.filter(Files::isDirectory)
                    .map(app -> app.getFileName().toString())
                    .toList();
        }
    }
}
