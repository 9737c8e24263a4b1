package dev.cloche.sandbox;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The same as {@link KillAtEveryStepTest} with real VMs, which outlive their process. The system property {@code
 * kill.stride} makes it shorter: 10 kills at each tenth step.
 */
@Tag("slow")
class KillAtEveryStepIT {
    @TempDir
    static Path directory;

    static KillSetup setup;

    @BeforeAll
    static void prepare() throws Exception {
        Assumptions.assumeTrue(Files.isDirectory(KillWorld.share()), "nothing is installed: run ./setup first");
        setup = KillSetup.ofQemu(directory);
    }

    @ParameterizedTest
    @EnumSource(KillScenario.class)
    void nothingIsLeftAndWhatOutlivesItsStarterAnswers(KillScenario scenario) throws Exception {
        new KillHarness(setup).killAtSteps(scenario, Integer.getInteger("kill.stride", 1));
    }
}
