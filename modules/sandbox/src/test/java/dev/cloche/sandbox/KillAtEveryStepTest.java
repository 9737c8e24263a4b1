package dev.cloche.sandbox;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** SIGKILL before and after each change of the database and each operation on a file, of processes with VMs in memory. */
class KillAtEveryStepTest {
    @TempDir
    static Path directory;

    static KillGround ground;

    @BeforeAll
    static void prepare() throws Exception {
        ground = KillGround.inMemory(directory);
    }

    @ParameterizedTest
    @EnumSource(KillScenario.class)
    void nothingIsLeftAndNobodyElseIsHarmed(KillScenario scenario) throws Exception {
        new KillHarness(ground).killAtSteps(scenario, 1);
    }
}
