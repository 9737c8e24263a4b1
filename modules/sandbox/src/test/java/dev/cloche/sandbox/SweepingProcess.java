package dev.cloche.sandbox;

import dev.cloche.catalog.InstallGate;
import dev.cloche.catalog.InstallLease;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.linux.ProcessName;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A process of tests with many: opens a state root and sweeps it if that is due, or holds a lease until it is killed. */
final class SweepingProcess {
    private SweepingProcess() {}

    /** Takes the root, the layout of the image, and what to do: {@code sweep} or {@code install}. */
    public static void main(String[] arguments) throws IOException {
        Path root = Path.of(arguments[0]);
        // All begin together: the parent closes standard input when every process is there.
        System.out.println("ready");
        if (arguments[2].equals("sweep")) {
            System.in.readAllBytes();
        }
        long begin = System.nanoTime();
        try (KillRuntime runtime = KillRuntime.open(root, Path.of(arguments[1]), KillWorld.MEMORY)) {
            long micros = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - begin);
            if (arguments[2].equals("install")) {
                InstallGate gate = InstallGate.of(Clock.systemUTC(), ProcessName::isAlive);
                new InstallLease(runtime.catalog(), gate).acquire(ProcessName.of(ProcessIdentity.current()));
                System.out.println("held");
                while (true) {
                    LockSupport.park();
                }
            }
            MaintenanceReport report = runtime.sandboxes()
                    .maintenance(MaintenanceLimits.defaults())
                    .sweepIfDue();
            System.out.println(micros + " " + report.outcome());
        }
    }
}
