package dev.cloche;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A process that drives durable commands until it is killed. Arguments: state root, share directory, milliseconds of a lease. */
final class DrivingProcess {
    private DrivingProcess() {}

    public static void main(String[] arguments) throws Exception {
        ClocheOptions options =
                ClocheOptions.ofEnvironment().withHome(Path.of(arguments[0])).withShare(Path.of(arguments[1]));
        try (Cloche cloche = Cloche.open(options)) {
            cloche.driveCommands(Duration.ofMillis(Long.parseLong(arguments[2])));
            new CountDownLatch(1).await();
        }
    }
}
