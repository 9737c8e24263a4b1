package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.linux.HostSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnsupportedSystemTest {
    private static final String SENTENCE = "Cloche runs on Linux on x86-64, and this is Mac OS X on aarch64.";

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"Linux, amd64, true", "Linux, aarch64, false", "Mac OS X, x86_64, false", "Windows 11, amd64, false"})
    void vmsAreForLinuxOnX86(String name, String architecture, boolean supported) {
        assertThat(new HostSystem(name, architecture).isSupported()).isEqualTo(supported);
    }

    /** Without the flag for native access, so that a native call would be seen on standard error. */
    @Test
    void anotherSystemIsRefusedInOneSentenceBeforeAnythingElse() throws Exception {
        assertThat(refused("-Dos.name=Mac OS X", "-Dos.arch=aarch64"))
                .containsExactly(
                        "false",
                        "host.unsupported: " + SENTENCE
                                + " Use a host with Linux on x86-64; Cloche.isSupported() tells before.",
                        "FAILURE system: " + SENTENCE);
    }

    @Test
    void aJvmThatDeniesNativeCallsIsRefusedWithTheFlagThatAllowsThem() throws Exception {
        List<String> lines = refused("--illegal-native-access=deny");
        assertThat(lines).hasSize(3).startsWith("true");
        assertThat(lines.get(1))
                .startsWith(
                        "linux.native-access-denied: This JVM denies Cloche the native calls that it needs (Illegal")
                .contains("; start it with --enable-native-access=ALL-UNNAMED. Add the flag to");
        assertThat(lines.get(2)).startsWith("FAILURE native access: This JVM denies");
    }

    /** Runs the program, which writes nothing to standard error and makes no state root; returns its output. */
    private List<String> refused(String... options) throws Exception {
        Path home = directory.resolve("home");
        Path errors = directory.resolve("errors");
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(UnsupportedSystemProgram.class.getName(), home.toString()));
        Process process =
                new ProcessBuilder(command).redirectError(errors.toFile()).start();
        process.outputWriter().close();
        List<String> lines = process.inputReader().readAllLines();
        assertThat(process.waitFor()).isZero();
        assertThat(errors).isEmptyFile();
        assertThat(Files.exists(home)).isFalse();
        return lines;
    }
}
