package dev.cloche.vm;

import java.util.Optional;

/**
 * The last words of a guest that ended in order.
 *
 * @param mainExit how the main execution ended; present exactly if the reason is {@link Reason#MAIN_ENDED}
 */
public record Goodbye(Reason reason, Optional<ExitStatus> mainExit) {
    /** Why the guest ended. */
    public enum Reason {
        /** The host asked it to shut down. */
        SHUTDOWN_REQUESTED,
        /** The execution that was started as the main one has ended. */
        MAIN_ENDED
    }

    public Goodbye {
        if ((reason == Reason.MAIN_ENDED) != mainExit.isPresent()) {
            throw new IllegalArgumentException("exactly the end of the main execution has a status");
        }
    }
}
