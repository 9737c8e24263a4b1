package dev.cloche.vmm.protocol;

import java.io.IOException;

/** An operation of an in-memory guest fails with an error number of Linux. */
public final class FileError extends IOException {
    public static final int PERMISSION = 13;
    public static final int LOOP = 40;
    public static final int MAX_LINKS = 40;

    private final int errno;
    private final String path;

    public FileError(int errno, String path) {
        super("error " + errno + " at " + path);
        this.errno = errno;
        this.path = path;
    }

    public int errno() {
        return errno;
    }

    public String path() {
        return path;
    }
}
