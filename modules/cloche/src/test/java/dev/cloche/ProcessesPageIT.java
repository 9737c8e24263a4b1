package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.PageProgram;
import dev.cloche.process.ProcessStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page on processes: its first program compiles as it stands there, and does what it says. No VM is started. */
class ProcessesPageIT {
    private static final String NAME = "Build";

    @TempDir
    Path directory;

    @Test
    void itsFirstProgramDrivesTheWorkToItsEnd() throws Exception {
        Path share = PageProgram.page("dist/share").toAbsolutePath();
        Assumptions.assumeTrue(Files.isDirectory(share), "nothing is installed: run ./setup first");
        Path home = directory.resolve("home");
        Path classes = Files.createDirectory(directory.resolve("classes"));
        PageProgram.compile(PageProgram.page("docs/processes.md"), NAME, classes);

        String said = PageProgram.run(
                        NAME, classes, Map.of("CLOCHE_HOME", home.toString(), "CLOCHE_SHARE", share.toString()))
                .strip();

        assertThat(said).isEqualTo("{\"type\":\"success\",\"value\":0}");
        try (Cloche cloche =
                Cloche.open(ClocheOptions.ofEnvironment().withHome(home).withShare(share))) {
            assertThat(cloche.processes()
                            .registry()
                            .get("build-42")
                            .orElseThrow()
                            .status())
                    .isEqualTo(ProcessStatus.COMPLETED);
        }
    }
}
