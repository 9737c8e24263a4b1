package dev.cloche.vm;

/**
 * Tells what stands between the program that runs a VM and the host, should its guest break out into it.
 *
 * @param level which walls it has
 * @param missing what this host lacks for the next level; empty at the highest one, or where no more was wanted
 * @param denied how many calls the program was refused, of which none was expected; at most 64 are counted
 */
public record VmIsolation(Level level, String missing, int denied) {
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

    /** @throws VmException.Invalid if the count is negative */
    public VmIsolation {
        if (denied < 0) {
            throw new VmException.Invalid("A count of refused calls is negative: " + denied, "Give none or more.");
        }
    }
}
