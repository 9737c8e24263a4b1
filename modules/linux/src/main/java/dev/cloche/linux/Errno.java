package dev.cloche.linux;

/** The error numbers that this room tells apart; the same on x86-64 and aarch64 (asm-generic/errno.h). */
final class Errno {
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int ESRCH = 3;
    static final int EINTR = 4;
    static final int EIO = 5;
    static final int ENXIO = 6;
    static final int EAGAIN = 11;
    static final int EACCES = 13;
    static final int EEXIST = 17;
    static final int ENOTDIR = 20;
    static final int EISDIR = 21;
    static final int EMFILE = 24;
    static final int EFBIG = 27;
    static final int ENOSPC = 28;
    static final int EROFS = 30;
    static final int ENAMETOOLONG = 36;
    static final int ENOTEMPTY = 39;
    static final int ELOOP = 40;
    static final int EDQUOT = 122;

    private Errno() {}

    static String describe(int errno) {
        return switch (errno) {
            case EPERM -> "operation not permitted";
            case ENOENT -> "no such file or directory";
            case ESRCH -> "no such process";
            case EIO -> "input/output error";
            case EACCES -> "permission denied";
            case EEXIST -> "it exists already";
            case ENOTDIR -> "not a directory";
            case EISDIR -> "it is a directory";
            case EMFILE -> "too many open files";
            case EFBIG -> "the file is too large";
            case ENOSPC -> "no space left on the device";
            case EROFS -> "the file system is read-only";
            case ENAMETOOLONG -> "the name is too long";
            case ENOTEMPTY -> "the directory is not empty";
            case ELOOP -> "a symbolic link is in the way";
            case EDQUOT -> "the disk quota is used up";
            default -> "error number " + errno;
        };
    }
}
