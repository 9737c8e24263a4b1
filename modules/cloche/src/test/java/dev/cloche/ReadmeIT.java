package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.PageProgram;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first lines of Java of the README: they compile and run as they stand there, but for an image that needs no registry. */
class ReadmeIT {
    private static final String NAME = "First";

    @TempDir
    Path directory;

    @Test
    void itsFirstLinesRunCodeInASandbox() throws Exception {
        Path share = PageProgram.page("dist/share").toAbsolutePath();
        Assumptions.assumeTrue(Files.isDirectory(share), "nothing is installed: run ./setup first");
        Path classes = Files.createDirectory(directory.resolve("classes"));
        String lines = PageProgram.firstLines(PageProgram.page("README.md"));
        assertThat(lines).contains("cloche.sandbox(\"debian\")");
        PageProgram.compile(NAME, program(lines.replace("\"debian\"", "\"base\"")), classes);

        ProcessBuilder program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        classes + File.pathSeparator + PageProgram.classPath(),
                        NAME)
                .redirectInput(new File("/dev/null"))
                .redirectError(directory.resolve("errors").toFile());
        program.environment().put("CLOCHE_HOME", directory.resolve("home").toString());
        program.environment().put("CLOCHE_SHARE", share.toString());
        program.environment().put("CLOCHE_TEMPLATES", "never");
        Process running = program.start();
        String said = new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(running.waitFor())
                .as(Files.readString(directory.resolve("errors")))
                .isZero();
        assertThat(said).isEqualTo("42\n with exit code 3\n");
    }

    private static String program(String lines) {
        return """
                import dev.cloche.Cloche;
                import dev.cloche.ExecResult;
                import dev.cloche.Sandbox;
                import java.time.Duration;

                class %s {
                    public static void main(String[] arguments) {
                        String script = "echo $((6 * 7)); exit 3";
                %s
                    }
                }
                """.formatted(NAME, lines);
    }
}
