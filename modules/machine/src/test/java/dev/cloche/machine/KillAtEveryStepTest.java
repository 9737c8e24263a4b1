package dev.cloche.machine;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * SIGKILL before and after changes of the database and operations on files, of processes with VMs in memory. The system property
 * {@code kill.stride} says at which ones: 1 at each, by default at some.
 */
class KillAtEveryStepTest {
    @TempDir
    static Path directory;

    static KillHarness harness;

    @BeforeAll
    static void prepare() throws Exception {
        Assumptions.assumeTrue(
                Files.isDirectory(KillRuntime.share().resolve("images/base")),
                "the image base is not installed: run ./setup first");
        harness = new KillHarness(directory, false);
    }

    @ParameterizedTest
    @EnumSource(KillScenario.class)
    void nothingIsLeftThatBelongsToNoMachine(KillScenario scenario) throws Exception {
        harness.killAtSteps(scenario, Integer.getInteger("kill.stride", 61));
    }
}
