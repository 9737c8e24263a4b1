package dev.cloche.vm;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * Tells what stands between the program that runs a VM and the host, should its guest break out into it.
 *
 * @param level which walls it has
 * @param missing what this host lacks for the next level; empty at the highest one, or where no more was wanted
 * @param denied how many calls the program was refused, of which none was expected; at most 64 are counted
 * @param group what bounds what it takes of the host; empty if none was wanted, or its guard is older than this library
 */
public record VmIsolation(Level level, String missing, int denied, Optional<Group> group) {
    /** Says which walls there are, the fewest first; the page on security says what each holds. */
    public enum Level {
        /** None: its guard is older than this library. */
        NONE,
        /** No capabilities, limits, and the program's own filter of system calls. */
        REDUCED,
        /** And a filter behind which it opens only the files of its VM. */
        SEALED,
        /** And namespaces of its own, with nothing in them. */
        FULL
    }

    /**
     * Tells of the control group that the program of a VM is in, with all that its guard has started for it.
     *
     * @param path its directory; empty if there is none
     * @param missing which limits it does not have, and why; empty if it has all
     * @param memoryPeak the most bytes that it has taken so far; empty if the kernel does not say
     */
    public record Group(Optional<String> path, String missing, OptionalLong memoryPeak) {}

    /** Tells of one without a group. */
    public VmIsolation(Level level, String missing, int denied) {
        this(level, missing, denied, Optional.empty());
    }

    /** @throws VmException.Invalid if the count is negative */
    public VmIsolation {
        if (denied < 0) {
            throw new VmException.Invalid("A count of refused calls is negative: " + denied, "Give none or more.");
        }
    }
}
