package dev.cloche;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * A process that drives durable commands until it is killed, and says so by a line. Arguments: state root, share directory,
 * milliseconds of a lease.
 */
final class DrivingProcess {
    static final String DRIVING = "driving";

    private DrivingProcess() {}

    public static void main(String[] arguments) throws Exception {
        ClocheOptions options =
                ClocheOptions.ofEnvironment().withHome(Path.of(arguments[0])).withShare(Path.of(arguments[1]));
        try (Cloche cloche = Cloche.open(options)) {
            cloche.driveCommands(Duration.ofMillis(Long.parseLong(arguments[2])));
            System.out.println(DRIVING);
            new CountDownLatch(1).await();
        }
    }
}
