package dev.cloche.linux;

/** The kernel refused a system call. */
public final class SystemCallException extends LinuxException {
    private final int errno;

    SystemCallException(String call, String target, int errno) {
        super("linux.system-call", call + " of " + target + " failed: " + Errno.describe(errno), "");
        this.errno = errno;
    }

    /** The error number of the very call that failed. */
    public int errno() {
        return errno;
    }
}
