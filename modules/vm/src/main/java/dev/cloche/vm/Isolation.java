package dev.cloche.vm;

/**
 * Says which walls between the program that runs a VM and the host are accepted at least; the lowest first. Of several that are
 * asked for the highest holds. The page on security says what each has.
 */
public enum Isolation {
    /** No more than privileges given up and limits, also where there is better: for a host on which better does not work. */
    REDUCED,
    /** The best that this host has. */
    AUTO,
    /** A filter of system calls at least, behind which the program opens only the files of its VM. */
    SEALED,
    /** And namespaces of its own, with nothing in them. */
    FULL;

    /** Returns the higher of two. */
    public Isolation or(Isolation other) {
        return compareTo(other) >= 0 ? this : other;
    }

    /** Returns whether walls of this level are enough. */
    public boolean accepts(VmIsolation.Level level) {
        return switch (this) {
            case REDUCED, AUTO -> true;
            case SEALED -> level.compareTo(VmIsolation.Level.SEALED) >= 0;
            case FULL -> level == VmIsolation.Level.FULL;
        };
    }
}
