package dev.cloche.vm;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Says how a VM ended, as its guard recorded it.
 *
 * @param goodbye the guest's last words; empty if it did not say any
 * @param processExitCode exit code of the VM's process on the host; empty if a signal ended it or its guard was lost
 * @param processSignal signal that ended that process
 */
public record VmExit(
        Cause cause,
        Optional<Goodbye> goodbye,
        OptionalInt processExitCode,
        OptionalInt processSignal,
        Instant startedAt,
        Instant endedAt) {
    /** Who or what ended the VM. */
    public enum Cause {
        /** Its process ended by itself: the guest powered off, or crashed. */
        EXITED,
        /** It had been asked to shut down, and its process ended without last words of the guest. */
        STOPPED,
        /** It was killed on request. */
        KILLED,
        /** It reached its maximum duration. */
        MAX_DURATION,
        /** It waited too long in a pool. */
        POOL_AGE,
        /** The process that it was attached to is gone. */
        OWNER_GONE,
        /** The program of its network ended, or was killed. */
        NETWORK_ENDED,
        /** Its process tried what it never does by itself, so its guest had broken out into it; see the page on security. */
        ISOLATION,
        /** The kernel ended it for want of memory: its control group's, or the host's. Known only of a VM in such a group. */
        OUT_OF_MEMORY,
        /** Its guard was killed, and the kernel killed the VM with it; the end's time is not known exactly. */
        GUARD_LOST
    }

    /** Returns whether it ended without a goodbye and without a request, or by breaking its walls. */
    public boolean crashed() {
        // Who is in the place of the process can say a goodbye too.
        return cause == Cause.ISOLATION
                || (goodbye.isEmpty()
                        && switch (cause) {
                            case EXITED, GUARD_LOST, NETWORK_ENDED, OUT_OF_MEMORY -> true;
                            case STOPPED, KILLED, MAX_DURATION, POOL_AGE, OWNER_GONE, ISOLATION -> false;
                        });
    }

    /** Returns how the main execution ended, if the guest said so. */
    public Optional<ExitStatus> mainExit() {
        return goodbye.flatMap(Goodbye::mainExit);
    }
}
