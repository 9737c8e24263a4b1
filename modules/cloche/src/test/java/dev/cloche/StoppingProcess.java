package dev.cloche;

import java.nio.file.Path;
import java.time.Duration;

/** A second process for tests, which stops a machine, and is killed meanwhile. */
final class StoppingProcess {
    private StoppingProcess() {}

    public static void main(String[] arguments) {
        MachinesInVms.opened(Path.of(arguments[0])).machines().stop(arguments[1], Duration.ofMinutes(1));
    }
}
