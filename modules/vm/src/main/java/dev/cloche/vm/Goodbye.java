package dev.cloche.vm;

import java.util.Optional;

/**
 * Describes the last words of a guest that ended in order.
 *
 * @param mainExit how the main execution ended; always there if the reason is {@link Reason#MAIN_ENDED}, and otherwise if
 *     there was one and it is no init
 * @param killed processes that had not ended in the time that the host gave them, and were killed; 0 exactly if there were none
 */
public record Goodbye(Reason reason, Optional<ExitStatus> mainExit, int killed) {
    /** As many as a guest tells. */
    public static final int MOST_KILLED = 1024;

    /** Why the guest ended. */
    public enum Reason {
        /** The host asked it to shut down. */
        SHUTDOWN_REQUESTED,
        /** The execution that was started as the main one has ended. */
        MAIN_ENDED
    }

    public Goodbye {
        if (reason == Reason.MAIN_ENDED && mainExit.isEmpty()) {
            throw new IllegalArgumentException("the end of the main execution has a status");
        }
        if (killed < 0 || killed > MOST_KILLED || (killed > 0 && reason != Reason.SHUTDOWN_REQUESTED)) {
            throw new IllegalArgumentException("processes are killed by a shutdown: " + killed);
        }
    }

    /** Describes that of a guest that had to kill nothing. */
    public Goodbye(Reason reason, Optional<ExitStatus> mainExit) {
        this(reason, mainExit, 0);
    }
}
