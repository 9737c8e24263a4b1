package dev.cloche.sandbox;

import dev.cloche.vm.testing.KillSteps;
import java.nio.file.Path;

/** The process that plays a scenario, and is killed by {@link KillSteps} on the way. */
final class KillVictim {
    private KillVictim() {}

    /** Takes the root, the layout of the image, the scenario, and the world. */
    public static void main(String[] arguments) throws InterruptedException {
        Path root = Path.of(arguments[0]);
        KillScenario scenario = KillScenario.named(arguments[2]).orElseThrow();
        try (KillRuntime runtime = KillRuntime.open(root, Path.of(arguments[1]), KillWorld.valueOf(arguments[3]))) {
            scenario.arrange(runtime);
            KillSteps.begin();
            scenario.play(runtime);
            KillSteps.end();
        }
    }
}
