package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The unit tests of what is C, under AddressSanitizer and UndefinedBehaviorSanitizer. */
class CUnitsTest {
    @Test
    void theAgentsParsersAndAccountsHold() throws IOException, InterruptedException {
        check("guest");
    }

    @Test
    void theGuardsFilterAndWhatItUnderstandsOfQemuHold() throws IOException, InterruptedException {
        check("guard");
    }

    private static void check(String part) throws IOException, InterruptedException {
        for (String tool : List.of("make", "gcc")) {
            Assumptions.assumeTrue(onPath(tool), tool + " is missing: run ./setup");
        }
        Path built = Path.of("target", part + "-units").toAbsolutePath();
        Process check = new ProcessBuilder("make", "-s", "-C", "../../" + part, "check", "BUILD=" + built)
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .start();
        String output = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(check.waitFor()).as(output).isZero();
        assertThat(output).contains("ok");
    }

    private static boolean onPath(String tool) {
        return Stream.of(System.getenv("PATH").split(":", -1)).anyMatch(dir -> Files.isExecutable(Path.of(dir, tool)));
    }
}
