package dev.cloche.vm;

/**
 * Describes a limit of a program in a guest, as {@code setrlimit} sets it.
 *
 * @param soft what applies, unsigned; the program may raise it up to {@code hard}. {@link #UNLIMITED} for none
 * @param hard what {@code soft} may be raised to, unsigned
 */
public record ResourceLimit(Resource resource, long soft, long hard) {
    /** No limit: 2<sup>64</sup> - 1. */
    public static final long UNLIMITED = -1;

    /** @throws VmException.Invalid if the soft limit is above the hard one */
    public ResourceLimit {
        if (Long.compareUnsigned(soft, hard) > 0) {
            throw new VmException.Invalid(
                    "The soft limit " + Long.toUnsignedString(soft) + " of " + resource + " is above its hard limit "
                            + Long.toUnsignedString(hard),
                    "Keep the soft limit at or below the hard one.");
        }
    }

    /** Says what can be limited; the units are those of getrlimit(2). */
    public enum Resource {
        CPU(0),
        FSIZE(1),
        DATA(2),
        STACK(3),
        CORE(4),
        RSS(5),
        NPROC(6),
        NOFILE(7),
        MEMLOCK(8),
        AS(9),
        LOCKS(10),
        SIGPENDING(11),
        MSGQUEUE(12),
        NICE(13),
        RTPRIO(14),
        RTTIME(15);

        private final int number;

        Resource(int number) {
            this.number = number;
        }

        /** Returns its number in Linux. */
        public int number() {
            return number;
        }
    }
}
