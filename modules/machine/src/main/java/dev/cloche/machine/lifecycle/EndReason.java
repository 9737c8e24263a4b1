package dev.cloche.machine.lifecycle;

import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Goodbye;
import dev.cloche.vm.VmExit;
import java.time.Duration;
import java.util.Optional;

/**
 * Says how the VM of a machine ended, as it is recorded. Pure.
 *
 * @param failed whether it ended without a request
 * @param how for people, to stand behind a name and a colon
 */
public record EndReason(boolean failed, String how) {
    /** Nothing of the VM is left to say how. */
    static final EndReason GONE = new EndReason(true, "its host went down, or its VM was removed");

    /** The same, of a machine for which a stop was under way. */
    static final EndReason GONE_UNSEEN = new EndReason(false, GONE.how);

    /** Of a machine that was said to run. */
    static EndReason unasked(VmExit exit) {
        return new EndReason(
                switch (exit.cause()) {
                    case EXITED, GUARD_LOST ->
                        exit.crashed() || initFailed(exit).isPresent();
                    case STOPPED -> false;
                    case KILLED, MAX_DURATION, POOL_AGE, OWNER_GONE, NETWORK_ENDED, ISOLATION, OUT_OF_MEMORY -> true;
                },
                how(exit));
    }

    /**
     * Returns the reason of an end that was requested. That is no failure, even if the VM had to be killed.
     *
     * @param grace that it was given; zero if it was not asked
     */
    static EndReason asked(VmExit exit, Duration grace) {
        return asked(
                exit,
                grace.isZero() ? "its VM was killed on request" : "its guest did not end, and its VM had to be killed",
                seconds(grace) + " after the stop");
    }

    /** Returns the same, if the process that stopped it is gone, and with it the knowledge of the grace. */
    static EndReason asked(VmExit exit) {
        return asked(exit, "its VM was killed", "in time");
    }

    private static EndReason asked(VmExit exit, String killing, String late) {
        if (exit.cause() == VmExit.Cause.ISOLATION) {
            return unasked(exit);
        }
        int killed = exit.goodbye().map(Goodbye::killed).orElse(0);
        if (killed > 0) {
            String programs = killed == 1 ? "a program" : killed + " programs";
            return new EndReason(false, programs + " in it had not ended " + late + ", and had to be killed");
        }
        boolean asAsked = exit.goodbye().map(Goodbye::reason).stream()
                .anyMatch(reason -> reason == Goodbye.Reason.SHUTDOWN_REQUESTED);
        boolean byForce = exit.cause() == VmExit.Cause.KILLED;
        return new EndReason(false, byForce ? killing : asAsked ? "it was shut down" : how(exit));
    }

    private static String seconds(Duration grace) {
        return grace.toSeconds() == 1 ? "1 second" : grace.toSeconds() + " seconds";
    }

    /** The main execution of a machine is its init; one that ends well, or by reboot(2), has powered off. */
    private static Optional<ExitStatus> initFailed(VmExit exit) {
        return exit.mainExit().filter(status -> !status.success());
    }

    private static String how(VmExit exit) {
        return switch (exit.cause()) {
            case EXITED ->
                initFailed(exit)
                        .map(status -> "its init ended with " + status.shellCode())
                        .orElse(exit.crashed() ? "its guest ended without a word" : "its guest powered off");
            case STOPPED -> "it was to shut down, and its guest ended without a word";
            case KILLED -> "its VM was killed";
            case NETWORK_ENDED -> "the program of its network ended";
            case GUARD_LOST -> "the guard of its VM was killed";
            case OUT_OF_MEMORY -> "out of memory: its VM had taken what it may, or its host had no more";
            case ISOLATION -> "isolation: its QEMU tried what it never does by itself, and was ended";
            case MAX_DURATION, POOL_AGE, OWNER_GONE -> "its VM reached a limit";
        };
    }
}
