package dev.cloche;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.VmException;
import java.time.Duration;

/** Ends a command whose caller goes away: SIGTERM, and SIGKILL after a grace. Stateless. */
final class CommandEnd {
    private static final int SIGTERM = 15;
    private static final int SIGKILL = 9;
    private static final Duration GRACE = Duration.ofSeconds(2);

    private CommandEnd() {}

    /**
     * Returns when the command has ended, or the guest does not tell of it within some seconds: one of a paused sandbox gets
     * the signals when that is resumed. Of one that has ended already nothing happens. Not cut short by an interrupt.
     */
    static void of(GuestExecution command) {
        Uninterrupted.run(() -> {
            if (hasEnded(command, Duration.ZERO)) {
                return;
            }
            boolean heard = signal(command, SIGTERM) && hasEnded(command, GRACE);
            if (!heard && signal(command, SIGKILL)) {
                var _ = hasEnded(command, GRACE);
            }
        });
    }

    /** Also where there is nothing left to be ended, because the sandbox is gone, or another caller has the command. */
    private static boolean hasEnded(GuestExecution command, Duration longest) {
        try {
            var _ = command.await(Deadline.after(longest));
        } catch (VmException.Deadline runs) {
            return false;
        } catch (ClocheException outOfReach) {
            return true;
        }
        return true;
    }

    /** Whether the guest answers now. One that does not finds the signal when it goes on. */
    private static boolean signal(GuestExecution command, int number) {
        try {
            command.signal(number, Deadline.after(GRACE));
        } catch (VmException.Deadline paused) {
            return false;
        } catch (ClocheException endedMeanwhile) {
            return true;
        }
        return true;
    }
}
