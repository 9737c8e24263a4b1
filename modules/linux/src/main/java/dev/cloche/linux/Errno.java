package dev.cloche.linux;

/** The error numbers that this room tells apart; the same on x86-64 and aarch64 (asm-generic/errno-base.h). */
final class Errno {
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int ESRCH = 3;
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int EACCES = 13;
    static final int EMFILE = 24;
    static final int ENOSPC = 28;

    private Errno() {}

    static String describe(int errno) {
        return switch (errno) {
            case EPERM -> "operation not permitted";
            case ENOENT -> "no such file or directory";
            case ESRCH -> "no such process";
            case EACCES -> "permission denied";
            case EMFILE -> "too many open files";
            case ENOSPC -> "no space left on the device";
            default -> "error number " + errno;
        };
    }
}
