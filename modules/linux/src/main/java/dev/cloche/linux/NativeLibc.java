package dev.cloche.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * Holds the method handles of the C library. The first binding costs some 20 ms, each further one 3 to 5, so only
 * {@link LibcHolder} names this class, and only when a call is really made.
 */
final class NativeLibc implements Libc {
    /** Numbers of both x86-64 and aarch64; older C libraries have no wrapper for these two calls. */
    private static final long SYS_PIDFD_SEND_SIGNAL = 424;

    private static final long SYS_PIDFD_OPEN = 434;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle STATE_ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    // Each handle in a class of its own: bound at its first call, and a constant to the compiler from then on.

    private static final class Open {
        static final MethodHandle HANDLE = bind(
                "open",
                FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
                Linker.Option.firstVariadicArg(2));
    }

    private static final class Close {
        static final MethodHandle HANDLE = bind("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    }

    private static final class Flock {
        static final MethodHandle HANDLE = bind("flock", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    }

    private static final class Syscall {
        static final MethodHandle HANDLE = bind(
                "syscall",
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                Linker.Option.firstVariadicArg(1));
    }

    private static final class Eventfd {
        static final MethodHandle HANDLE = bind("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    }

    private static final class Write {
        static final MethodHandle HANDLE =
                bind("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    }

    private static final class Ioctl {
        static final MethodHandle HANDLE = bind(
                "ioctl",
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
                Linker.Option.firstVariadicArg(2));
    }

    private static final class Poll {
        static final MethodHandle HANDLE = bind("poll", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    }

    @Override
    public int open(MemorySegment path, int flags, int mode) {
        return (int) call(state -> (int) Open.HANDLE.invokeExact(state, path, flags, mode));
    }

    @Override
    public int close(int fd) {
        return (int) call(state -> (int) Close.HANDLE.invokeExact(state, fd));
    }

    @Override
    public int flock(int fd, int operation) {
        return (int) call(state -> (int) Flock.HANDLE.invokeExact(state, fd, operation));
    }

    @Override
    public int pidfdOpen(int pid, int flags) {
        return (int) call(
                state -> (long) Syscall.HANDLE.invokeExact(state, SYS_PIDFD_OPEN, (long) pid, (long) flags, 0L, 0L));
    }

    @Override
    public int pidfdSendSignal(int pidfd, int signal) {
        return (int) call(state ->
                (long) Syscall.HANDLE.invokeExact(state, SYS_PIDFD_SEND_SIGNAL, (long) pidfd, (long) signal, 0L, 0L));
    }

    @Override
    public int eventfd(int initial, int flags) {
        return (int) call(state -> (int) Eventfd.HANDLE.invokeExact(state, initial, flags));
    }

    @Override
    public long write(int fd, MemorySegment bytes) {
        return call(state -> (long) Write.HANDLE.invokeExact(state, fd, bytes, bytes.byteSize()));
    }

    @Override
    public int ioctl(int fd, long request, MemorySegment argument) {
        return (int) call(state -> (int) Ioctl.HANDLE.invokeExact(state, fd, request, argument));
    }

    @Override
    public int poll(MemorySegment fds, long count, int timeoutMillis) {
        return (int) call(state -> (int) Poll.HANDLE.invokeExact(state, fds, count, timeoutMillis));
    }

    /** Restricted, because a wrong descriptor would corrupt memory: the descriptors above are those of the man pages. */
    @SuppressWarnings("restricted")
    static MethodHandle bind(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker.Option[] all = new Linker.Option[options.length + 1];
        all[0] = ERRNO;
        System.arraycopy(options, 0, all, 1, options.length);
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, all);
    }

    static long call(Downcall downcall) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            long result = downcall.invoke(state);
            return result == -1 ? -(int) STATE_ERRNO.get(state, 0L) : result;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable impossible) {
            throw new IllegalStateException("a downcall throws nothing", impossible);
        }
    }

    @FunctionalInterface
    interface Downcall {
        long invoke(MemorySegment state) throws Throwable;
    }
}
