package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.PageProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
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

        String said = PageProgram.run(
                NAME,
                classes,
                Map.of(
                        "CLOCHE_HOME",
                        directory.resolve("home").toString(),
                        "CLOCHE_SHARE",
                        share.toString(),
                        "CLOCHE_TEMPLATES",
                        "never"));

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
