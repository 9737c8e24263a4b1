package dev.cloche;

/**
 * What a command may be limited in, by the names of {@code docker run --ulimit}; the units are those of getrlimit(2).
 *
 * <pre>{@code
 * sandbox.command("make").limit(Resource.NPROC, 100, 100).limit(Resource.CORE, 0, Resource.UNLIMITED).run();
 * }</pre>
 */
public enum Resource {
    /** Size of a core file in bytes. */
    CORE,
    /** Seconds of processor time. */
    CPU,
    /** Size of the data segment in bytes. */
    DATA,
    /** Size of a written file in bytes. */
    FSIZE,
    /** Number of file locks. */
    LOCKS,
    /** Bytes locked into memory. */
    MEMLOCK,
    /** Bytes in message queues. */
    MSGQUEUE,
    /** 20 minus the lowest nice value. */
    NICE,
    /** Number of the highest file descriptor, plus 1. */
    NOFILE,
    /** Number of the user's processes and threads. */
    NPROC,
    /** Resident memory in bytes; without effect in Linux. */
    RSS,
    /** The highest real-time priority. */
    RTPRIO,
    /** Microseconds of processor time that a real-time thread may take without a break. */
    RTTIME,
    /** Number of pending signals. */
    SIGPENDING,
    /** Size of the stack in bytes. */
    STACK,
    /** Size of the address space in bytes. */
    AS;

    /** No limit. */
    public static final long UNLIMITED = -1;
}
