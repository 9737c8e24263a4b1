package dev.cloche.linux;

import static dev.cloche.linux.NativeLibc.NONE;
import static dev.cloche.linux.NativeLibc.bind;
import static dev.cloche.linux.NativeLibc.call;
import static dev.cloche.linux.NativeLibc.word;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Holds the method handles of the calls on files, each bound at its first use as in {@link NativeLibc}. */
final class NativeFileCalls implements FileCalls {
    /** The number of {@code getdents64(2)}, for which older C libraries have no wrapper. */
    private final long getdents64;

    NativeFileCalls(long getdents64) {
        this.getdents64 = getdents64;
    }

    private static final class Openat {
        static final MethodHandle HANDLE = bind("openat");
    }

    private static final class Close {
        static final MethodHandle HANDLE = bind("close");
    }

    private static final class Mkdirat {
        static final MethodHandle HANDLE = bind("mkdirat");
    }

    private static final class Unlinkat {
        static final MethodHandle HANDLE = bind("unlinkat");
    }

    private static final class Renameat {
        static final MethodHandle HANDLE = bind("renameat");
    }

    private static final class Symlinkat {
        static final MethodHandle HANDLE = bind("symlinkat");
    }

    private static final class Readlinkat {
        static final MethodHandle HANDLE = bind("readlinkat");
    }

    private static final class Statx {
        static final MethodHandle HANDLE = bind("statx");
    }

    private static final class Fchmod {
        static final MethodHandle HANDLE = bind("fchmod");
    }

    private static final class Fchownat {
        static final MethodHandle HANDLE = bind("fchownat");
    }

    private static final class Utimensat {
        static final MethodHandle HANDLE = bind("utimensat");
    }

    private static final class Futimens {
        static final MethodHandle HANDLE = bind("futimens");
    }

    private static final class Ftruncate {
        static final MethodHandle HANDLE = bind("ftruncate");
    }

    private static final class Pread {
        static final MethodHandle HANDLE = bind("pread");
    }

    private static final class Pwrite {
        static final MethodHandle HANDLE = bind("pwrite");
    }

    private static final class Lseek {
        static final MethodHandle HANDLE = bind("lseek");
    }

    private static final class Syscall {
        static final MethodHandle HANDLE = bind("syscall");
    }

    @Override
    public int openat(int directory, MemorySegment name, int flags, int mode) {
        return (int) call(state -> (int)
                (long) Openat.HANDLE.invokeExact(state, word(directory), name, word(flags), word(mode), NONE, NONE));
    }

    @Override
    public int close(int fd) {
        return (int)
                call(state -> (int) (long) Close.HANDLE.invokeExact(state, word(fd), NONE, NONE, NONE, NONE, NONE));
    }

    @Override
    public int mkdirat(int directory, MemorySegment name, int mode) {
        return (int) call(state ->
                (int) (long) Mkdirat.HANDLE.invokeExact(state, word(directory), name, word(mode), NONE, NONE, NONE));
    }

    @Override
    public int unlinkat(int directory, MemorySegment name, int flags) {
        return (int) call(state ->
                (int) (long) Unlinkat.HANDLE.invokeExact(state, word(directory), name, word(flags), NONE, NONE, NONE));
    }

    @Override
    public int renameat(int fromDirectory, MemorySegment from, int toDirectory, MemorySegment to) {
        return (int) call(state -> (int) (long)
                Renameat.HANDLE.invokeExact(state, word(fromDirectory), from, word(toDirectory), to, NONE, NONE));
    }

    @Override
    public int symlinkat(MemorySegment target, int directory, MemorySegment name) {
        return (int) call(state ->
                (int) (long) Symlinkat.HANDLE.invokeExact(state, target, word(directory), name, NONE, NONE, NONE));
    }

    @Override
    public long readlinkat(int directory, MemorySegment name, MemorySegment target) {
        return call(state -> (long) Readlinkat.HANDLE.invokeExact(
                state, word(directory), name, target, word(target.byteSize()), NONE, NONE));
    }

    @Override
    public int statx(int directory, MemorySegment name, int flags, int mask, MemorySegment result) {
        return (int) call(state -> (int)
                (long) Statx.HANDLE.invokeExact(state, word(directory), name, word(flags), word(mask), result, NONE));
    }

    @Override
    public int fchmod(int fd, int mode) {
        return (int) call(
                state -> (int) (long) Fchmod.HANDLE.invokeExact(state, word(fd), word(mode), NONE, NONE, NONE, NONE));
    }

    @Override
    public int fchownat(int directory, MemorySegment name, int uid, int gid, int flags) {
        return (int) call(state -> (int) (long)
                Fchownat.HANDLE.invokeExact(state, word(directory), name, word(uid), word(gid), word(flags), NONE));
    }

    @Override
    public int utimensat(int directory, MemorySegment name, MemorySegment times, int flags) {
        return (int) call(state -> (int)
                (long) Utimensat.HANDLE.invokeExact(state, word(directory), name, times, word(flags), NONE, NONE));
    }

    @Override
    public int futimens(int fd, MemorySegment times) {
        return (int)
                call(state -> (int) (long) Futimens.HANDLE.invokeExact(state, word(fd), times, NONE, NONE, NONE, NONE));
    }

    @Override
    public int ftruncate(int fd, long size) {
        return (int) call(state ->
                (int) (long) Ftruncate.HANDLE.invokeExact(state, word(fd), word(size), NONE, NONE, NONE, NONE));
    }

    @Override
    public long pread(int fd, MemorySegment bytes, long offset) {
        return call(state -> (long)
                Pread.HANDLE.invokeExact(state, word(fd), bytes, word(bytes.byteSize()), word(offset), NONE, NONE));
    }

    @Override
    public long pwrite(int fd, MemorySegment bytes, long offset) {
        return call(state -> (long)
                Pwrite.HANDLE.invokeExact(state, word(fd), bytes, word(bytes.byteSize()), word(offset), NONE, NONE));
    }

    @Override
    public long lseek(int fd, long offset, int whence) {
        return call(state ->
                (long) Lseek.HANDLE.invokeExact(state, word(fd), word(offset), word(whence), NONE, NONE, NONE));
    }

    @Override
    public long getdents64(int fd, MemorySegment entries) {
        return call(state -> (long) Syscall.HANDLE.invokeExact(
                state, word(getdents64), word(fd), entries, word(entries.byteSize()), NONE, NONE));
    }
}
