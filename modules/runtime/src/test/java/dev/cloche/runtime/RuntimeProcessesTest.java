package dev.cloche.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.ChildJvm;
import dev.cloche.base.Deadline;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cache of the runtime under JVMs of their own: many at once, and one that is killed. */
class RuntimeProcessesTest {
    private static final int JVMS = 20;
    private static final int KILLED = 128 + 9;

    private final BuiltArtefact artefact = BuiltArtefact.small();
    private final List<Process> started = new ArrayList<>();

    @TempDir
    private Path directory;

    @BeforeEach
    void writeArtefact() throws IOException {
        Path resources = Files.createDirectories(directory.resolve("artefact/META-INF/cloche/runtime"));
        Files.write(resources.resolve("index"), artefact.indexBytes());
        for (RuntimeIndex.Entry entry : artefact.index().entries()) {
            Path file = resources.resolve("files").resolve(entry.path());
            Files.createDirectories(file.getParent());
            Files.write(file, artefact.content(entry.path()));
        }
    }

    @AfterEach
    void endProcesses() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void manyJvmsThatBeginTogetherWithAnEmptyCacheAllGetTheSameWholeRuntime() throws Exception {
        Path cache = directory.resolve("cache");
        List<BufferedReader> outputs = new ArrayList<>();
        for (int i = 0; i < JVMS; i++) {
            outputs.add(start(List.of(), cache).inputReader());
        }
        for (BufferedReader output : outputs) {
            assertThat(output.readLine()).as(errors()).isEqualTo("ready");
        }
        for (Process process : started) {
            process.outputWriter().close();
        }
        Path unpacked = cache.resolve(artefact.index().digest());
        for (BufferedReader output : outputs) {
            assertThat(output.readLine()).as(errors()).isEqualTo(unpacked.toString());
        }
        for (Process process : started) {
            assertThat(process.waitFor()).as(errors()).isZero();
        }
        requireWhole(unpacked);
    }

    @Test
    void aJvmThatIsKilledAtAnyStepLeavesWhatTheNextOneGoesOnWith() throws Exception {
        int step = 1;
        for (int code = KILLED; code != 0; step++) {
            Path cache = directory.resolve("cache-" + step);
            String kill = "inject=rename,fsync:signal=KILL:when=" + step;
            Process process = traced(kill, cache);
            process.outputWriter().close();
            code = process.waitFor();
            assertThat(code).as(errors()).isIn(0, KILLED);
            Path unpacked = new RuntimeCache(cache, artefact.index(), artefact.contents()).directory(Deadline.none());
            requireWhole(unpacked);
        }
        // Each file and the list of their stamps is forced and renamed.
        assertThat(step).isGreaterThan(2 * (artefact.index().entries().size() + 1));
    }

    private void requireWhole(Path unpacked) throws IOException {
        for (RuntimeIndex.Entry entry : artefact.index().entries()) {
            assertThat(entry.in(unpacked)).hasBinaryContent(artefact.content(entry.path()));
        }
        try (Stream<Path> files = Files.walk(unpacked)) {
            assertThat(files.map(file -> file.getFileName().toString())).noneMatch(name -> name.startsWith(".tmp-"));
        }
    }

    private Process traced(String kill, Path cache) throws IOException {
        String trace = directory.resolve("trace").toString();
        try {
            return start(List.of("strace", "-f", "-qq", "-o", trace, "-e", "trace=rename,fsync", "-e", kill), cache);
        } catch (IOException e) {
            return Assumptions.abort("strace is not installed: " + e.getMessage());
        }
    }

    private Process start(List<String> before, Path cache) throws IOException {
        List<String> command = new ArrayList<>(before);
        command.addAll(ChildJvm.command(
                List.of("-Xmx64m"),
                directory.resolve("artefact") + ":" + System.getProperty("java.class.path"),
                UnpackingProgram.class,
                cache.toString()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(errorFile().toFile()))
                .start();
        started.add(process);
        return process;
    }

    private Path errorFile() {
        return directory.resolve("errors");
    }

    private String errors() throws IOException {
        return Files.readString(errorFile());
    }
}
