package dev.cloche.vm;

import java.io.IOException;

/** An operation of an in-memory guest fails with an error number of Linux. */
final class FileError extends IOException {
    static final int PERMISSION = 13;
    static final int LOOP = 40;
    static final int MAX_LINKS = 40;

    private final int errno;
    private final String path;

    FileError(int errno, String path) {
        super("error " + errno + " at " + path);
        this.errno = errno;
        this.path = path;
    }

    int errno() {
        return errno;
    }

    String path() {
        return path;
    }
}
