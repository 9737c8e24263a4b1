package dev.cloche.vm.testing;

import dev.cloche.linux.PinnedProcess;
import dev.cloche.linux.ProcessIdentity;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Counts the steps of this process and kills it at one of them, with SIGKILL. Called from the places that
 * {@link InstrumentedProgram} found.
 *
 * <p>The system property {@code kill.at} is the number of the deadly step, from 1; without it all are only counted.
 */
public final class KillSteps {
    static final String STEPS = "steps ";

    private static final int AT = Integer.getInteger("kill.at", Integer.MAX_VALUE);
    private static final int SIGKILL = 9;
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static volatile boolean counting;
    private static volatile @Nullable Thread killer;

    private KillSteps() {}

    /** Begins to count steps. */
    public static void begin() {
        counting = true;
    }

    /** Ends that, and prints how many there were. */
    public static void end() {
        counting = false;
        System.out.println(STEPS + COUNT.get());
    }

    /** Notes that a step is about to be done, or was done. */
    public static void reached(String what) {
        if (!counting || Thread.currentThread().equals(killer) || reads()) {
            return;
        }
        int step = COUNT.incrementAndGet();
        if (step == AT) {
            die(what);
        } else if (step > AT) {
            // Another thread of a process that is being killed.
            parkForever();
        } else if (Boolean.getBoolean("kill.list")) {
            System.out.println(step + " " + what);
        }
    }

    /** A transaction that reads changes nothing: a death in it is a death beside the next step. */
    private static boolean reads() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals("dev.cloche.catalog.Catalog")
                        && frame.getMethodName().equals("read")));
    }

    private static void die(String what) {
        killer = Thread.currentThread();
        System.out.println("killed at step " + AT + ", " + what);
        System.out.flush();
        PinnedProcess.open(ProcessIdentity.current()).orElseThrow().signal(SIGKILL);
        parkForever();
    }

    private static void parkForever() {
        while (true) {
            LockSupport.park();
        }
    }
}
