package dev.cloche.linux;

/** The kernel refused a system call. */
public final class SystemCallException extends LinuxException {
    private final int errno;

    SystemCallException(String call, String target, int errno) {
        super("linux.system-call", call + " of " + target + " failed: " + Errno.describe(errno), "");
        this.errno = errno;
    }

    /** Returns the error number of the very call that failed. */
    public int errno() {
        return errno;
    }

    /** Returns whether the file, or a directory on the way to it, was missing. */
    public boolean isForWantOfThePath() {
        return errno == Errno.ENOENT;
    }

    /** Returns whether the disk, or what this user may have of it, is full. */
    public boolean isForWantOfSpace() {
        return errno == Errno.ENOSPC || errno == Errno.EDQUOT;
    }
}
