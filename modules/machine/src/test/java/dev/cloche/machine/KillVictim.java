package dev.cloche.machine;

import dev.cloche.vm.testing.KillSteps;
import java.nio.file.Path;

/** The process that plays a scenario, and is killed by {@link KillSteps} on the way. */
final class KillVictim {
    private KillVictim() {}

    /** Takes the state root's directory, the scenario, and whether VMs are real. */
    public static void main(String[] arguments) throws Exception {
        KillScenario scenario = KillScenario.valueOf(arguments[1]);
        try (KillRuntime runtime = KillRuntime.open(Path.of(arguments[0]), Boolean.parseBoolean(arguments[2]))) {
            scenario.arrange(runtime);
            KillSteps.begin();
            scenario.play(runtime);
            KillSteps.end();
        }
    }
}
