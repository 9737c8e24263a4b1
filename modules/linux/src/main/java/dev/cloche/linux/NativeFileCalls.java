package dev.cloche.linux;

import static dev.cloche.linux.NativeLibc.bind;
import static dev.cloche.linux.NativeLibc.call;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
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
        static final MethodHandle HANDLE = bind(
                "openat",
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
                Linker.Option.firstVariadicArg(3));
    }

    private static final class Close {
        static final MethodHandle HANDLE = bind("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    }

    private static final class Mkdirat {
        static final MethodHandle HANDLE =
                bind("mkdirat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    }

    private static final class Unlinkat {
        static final MethodHandle HANDLE =
                bind("unlinkat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    }

    private static final class Renameat {
        static final MethodHandle HANDLE =
                bind("renameat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS));
    }

    private static final class Symlinkat {
        static final MethodHandle HANDLE =
                bind("symlinkat", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, ADDRESS));
    }

    private static final class Readlinkat {
        static final MethodHandle HANDLE =
                bind("readlinkat", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG));
    }

    private static final class Statx {
        static final MethodHandle HANDLE =
                bind("statx", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));
    }

    private static final class Fchmod {
        static final MethodHandle HANDLE = bind("fchmod", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    }

    private static final class Fchownat {
        static final MethodHandle HANDLE =
                bind("fchownat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT));
    }

    private static final class Utimensat {
        static final MethodHandle HANDLE =
                bind("utimensat", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
    }

    private static final class Futimens {
        static final MethodHandle HANDLE = bind("futimens", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
    }

    private static final class Ftruncate {
        static final MethodHandle HANDLE = bind("ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
    }

    private static final class Pread {
        static final MethodHandle HANDLE =
                bind("pread", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG));
    }

    private static final class Pwrite {
        static final MethodHandle HANDLE =
                bind("pwrite", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG));
    }

    private static final class Lseek {
        static final MethodHandle HANDLE =
                bind("lseek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
    }

    private static final class Syscall {
        static final MethodHandle HANDLE = bind(
                "syscall",
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG),
                Linker.Option.firstVariadicArg(1));
    }

    @Override
    public int openat(int directory, MemorySegment name, int flags, int mode) {
        return (int) call(state -> (int) Openat.HANDLE.invokeExact(state, directory, name, flags, mode));
    }

    @Override
    public int close(int fd) {
        return (int) call(state -> (int) Close.HANDLE.invokeExact(state, fd));
    }

    @Override
    public int mkdirat(int directory, MemorySegment name, int mode) {
        return (int) call(state -> (int) Mkdirat.HANDLE.invokeExact(state, directory, name, mode));
    }

    @Override
    public int unlinkat(int directory, MemorySegment name, int flags) {
        return (int) call(state -> (int) Unlinkat.HANDLE.invokeExact(state, directory, name, flags));
    }

    @Override
    public int renameat(int fromDirectory, MemorySegment from, int toDirectory, MemorySegment to) {
        return (int) call(state -> (int) Renameat.HANDLE.invokeExact(state, fromDirectory, from, toDirectory, to));
    }

    @Override
    public int symlinkat(MemorySegment target, int directory, MemorySegment name) {
        return (int) call(state -> (int) Symlinkat.HANDLE.invokeExact(state, target, directory, name));
    }

    @Override
    public long readlinkat(int directory, MemorySegment name, MemorySegment target) {
        return call(state -> (long) Readlinkat.HANDLE.invokeExact(state, directory, name, target, target.byteSize()));
    }

    @Override
    public int statx(int directory, MemorySegment name, int flags, int mask, MemorySegment result) {
        return (int) call(state -> (int) Statx.HANDLE.invokeExact(state, directory, name, flags, mask, result));
    }

    @Override
    public int fchmod(int fd, int mode) {
        return (int) call(state -> (int) Fchmod.HANDLE.invokeExact(state, fd, mode));
    }

    @Override
    public int fchownat(int directory, MemorySegment name, int uid, int gid, int flags) {
        return (int) call(state -> (int) Fchownat.HANDLE.invokeExact(state, directory, name, uid, gid, flags));
    }

    @Override
    public int utimensat(int directory, MemorySegment name, MemorySegment times, int flags) {
        return (int) call(state -> (int) Utimensat.HANDLE.invokeExact(state, directory, name, times, flags));
    }

    @Override
    public int futimens(int fd, MemorySegment times) {
        return (int) call(state -> (int) Futimens.HANDLE.invokeExact(state, fd, times));
    }

    @Override
    public int ftruncate(int fd, long size) {
        return (int) call(state -> (int) Ftruncate.HANDLE.invokeExact(state, fd, size));
    }

    @Override
    public long pread(int fd, MemorySegment bytes, long offset) {
        return call(state -> (long) Pread.HANDLE.invokeExact(state, fd, bytes, bytes.byteSize(), offset));
    }

    @Override
    public long pwrite(int fd, MemorySegment bytes, long offset) {
        return call(state -> (long) Pwrite.HANDLE.invokeExact(state, fd, bytes, bytes.byteSize(), offset));
    }

    @Override
    public long lseek(int fd, long offset, int whence) {
        return call(state -> (long) Lseek.HANDLE.invokeExact(state, fd, offset, whence));
    }

    @Override
    public long getdents64(int fd, MemorySegment entries) {
        return call(
                state -> (long) Syscall.HANDLE.invokeExact(state, getdents64, (long) fd, entries, entries.byteSize()));
    }
}
