package dev.cloche.base;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Ends a test run that hangs, in every room: where no test begins or ends for a long time, it writes what all threads do to
 * {@code target/hang-PID.txt} and halts this JVM with all processes that it has started. JUnit's own limit would either run
 * tests on another thread than what is set up for them, whose locks belong to threads, or wait for ever for a thread that
 * reads from a process. It is a limit for hangs and measures nothing: a test that takes long is not its matter.
 *
 * <p>Awaitility gives up earlier, so that a wait in vain is a failure that says what was waited for.
 *
 * <p>The system property {@code cloche.test.limit} is the limit, as in {@code PT12M}. JUnit finds this class as a service.
 */
public final class HangWatch implements TestExecutionListener {
    static final int EXIT_CODE = 70;
    private static final Duration WAIT = Duration.ofMinutes(5);
    static final String LIMIT = "cloche.test.limit";

    private final AtomicBoolean watched = new AtomicBoolean();
    private volatile String latest = "nothing yet";
    private volatile long since = System.nanoTime();

    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        Awaitility.setDefaultTimeout(WAIT);
        // A build executes a plan for each test class, one after the other in the same JVM.
        if (watched.compareAndSet(false, true)) {
            Thread.ofPlatform().daemon().name("hang-watch").start(this::watch);
        }
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        happened("begun: ", test);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        happened("ended: ", test);
    }

    private void happened(String what, TestIdentifier test) {
        latest = what + test.getUniqueId();
        since = System.nanoTime();
    }

    private static Duration limit() {
        return Duration.parse(System.getProperty(LIMIT, "PT12M"));
    }

    private void watch() {
        try {
            while (System.nanoTime() - since < limit().toNanos()) {
                TimeUnit.SECONDS.sleep(1);
            }
            report();
        } catch (InterruptedException e) {
            throw new IllegalStateException("this thread is never interrupted", e);
        } finally {
            ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
            Runtime.getRuntime().halt(EXIT_CODE);
        }
    }

    private void report() throws InterruptedException {
        Path target = Path.of("target").toAbsolutePath();
        Path file = target.resolve("hang-" + ProcessHandle.current().pid() + ".txt");
        Path threads = target.resolve("hang-" + ProcessHandle.current().pid() + "-threads.txt");
        StringBuilder report = new StringBuilder("No test has begun or ended for " + limit() + ". The latest has "
                + latest + "\nProcesses that it started:\n");
        ProcessHandle.current()
                .descendants()
                .forEach(process -> report.append("  ")
                        .append(process.pid())
                        .append(' ')
                        .append(process.info().commandLine().orElse("?"))
                        .append('\n'));
        try {
            Files.createDirectories(target);
            Files.deleteIfExists(threads);
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(threads.toString(), ThreadDumpFormat.TEXT_PLAIN);
            report.append(Files.readString(threads));
            Files.writeString(file, report);
            Files.delete(threads);
        } catch (IOException e) {
            report.append("Its threads cannot be written down: ").append(e);
        }
        System.err.println("HANG: " + report.toString().lines().findFirst().orElse("") + ". See " + file);
        // For the build to read it from the pipe.
        TimeUnit.SECONDS.sleep(2);
    }
}
