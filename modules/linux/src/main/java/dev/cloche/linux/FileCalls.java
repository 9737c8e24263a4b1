package dev.cloche.linux;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The system calls on files, relative to an open directory, in C's terms; answers as in {@link Libc}. Strings are
 * NUL-terminated.
 */
interface FileCalls {
    int openat(int directory, MemorySegment name, int flags, int mode);

    int close(int fd);

    int mkdirat(int directory, MemorySegment name, int mode);

    int unlinkat(int directory, MemorySegment name, int flags);

    int renameat(int fromDirectory, MemorySegment from, int toDirectory, MemorySegment to);

    int symlinkat(MemorySegment target, int directory, MemorySegment name);

    long readlinkat(int directory, MemorySegment name, MemorySegment target);

    /** {@code struct statx} is the same on every architecture. */
    int statx(int directory, MemorySegment name, int flags, int mask, MemorySegment result);

    int fchmod(int fd, int mode);

    int fchownat(int directory, MemorySegment name, int uid, int gid, int flags);

    int utimensat(int directory, MemorySegment name, MemorySegment times, int flags);

    int futimens(int fd, MemorySegment times);

    int ftruncate(int fd, long size);

    long pread(int fd, MemorySegment bytes, long offset);

    long pwrite(int fd, MemorySegment bytes, long offset);

    long lseek(int fd, long offset, int whence);

    long getdents64(int fd, MemorySegment entries);

    /**
     * Returns those of this system.
     *
     * @throws NativeAccessDeniedException if this JVM allows none
     * @throws UnsupportedSystemException if their numbers are not known here
     */
    static FileCalls ofThisSystem() {
        NativeAccess.require();
        return Lazy.CALLS.orElseThrow(() -> new UnsupportedSystemException(Lazy.SYSTEM + " on " + Lazy.ARCHITECTURE));
    }

    /** Chosen at the first use, not before. */
    final class Lazy {
        static final String SYSTEM = System.getProperty("os.name", "");
        static final String ARCHITECTURE = System.getProperty("os.arch", "");
        /** Empty on an unknown system: an exception here would be an {@link ExceptionInInitializerError} to callers. */
        static final Optional<FileCalls> CALLS = choose(SYSTEM, ARCHITECTURE);

        private Lazy() {}

        static Optional<FileCalls> choose(String system, String architecture) {
            if (system.equals("Linux") && architecture.equals("amd64")) {
                return Optional.of(new NativeFileCalls(217));
            }
            if (system.equals("Linux") && architecture.equals("aarch64")) {
                return Optional.of(new NativeFileCalls(61));
            }
            return Optional.empty();
        }
    }
}
