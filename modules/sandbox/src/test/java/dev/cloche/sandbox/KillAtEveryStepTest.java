package dev.cloche.sandbox;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * SIGKILL before and after changes of the database and operations on files, of processes with VMs in memory. The system property
 * {@code kill.stride} says at which ones: 1 at each, by default at some; the slow suite kills at each.
 */
class KillAtEveryStepTest {
    @TempDir
    static Path directory;

    static KillSetup setup;

    @BeforeAll
    static void prepare() throws Exception {
        setup = KillSetup.inMemory(directory);
    }

    /** Steps of {@code HELD} are those of others. */
    @ParameterizedTest
    @EnumSource(value = KillScenario.class, mode = EnumSource.Mode.EXCLUDE, names = "HELD")
    void nothingIsLeftAndNoBystanderIsHarmed(KillScenario scenario) throws Exception {
        new KillHarness(setup).killAtSteps(scenario, Integer.getInteger("kill.stride", 11));
    }

    @ParameterizedTest
    @EnumSource(KillScenario.class)
    @Tag("slow")
    void nothingIsLeftAtAnyStep(KillScenario scenario) throws Exception {
        new KillHarness(setup).killAtSteps(scenario, 1);
    }
}
