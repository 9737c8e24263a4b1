package dev.cloche.machine;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The same as {@link KillAtEveryStepTest} with real VMs, which outlive their process. The system property {@code kill.stride}
 * makes it shorter: 10 kills at each tenth step.
 */
@Tag("slow")
class KillAtEveryStepIT {
    @TempDir
    static Path directory;

    static KillHarness harness;

    @BeforeAll
    static void prepare() throws Exception {
        Assumptions.assumeTrue(
                Files.isDirectory(KillRuntime.share().resolve("images/base")),
                "nothing is installed: run ./setup first");
        harness = new KillHarness(directory, true);
    }

    @ParameterizedTest
    @EnumSource(KillScenario.class)
    void nothingIsLeftThatBelongsToNoMachine(KillScenario scenario) throws Exception {
        harness.killAtSteps(scenario, Integer.getInteger("kill.stride", 1));
    }
}
