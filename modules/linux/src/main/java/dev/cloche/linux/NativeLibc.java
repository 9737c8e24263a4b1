package dev.cloche.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
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
 * Holds the method handles of the C library. The first binding costs some 30 ms, so only {@link LibcHolder} names this class,
 * and only when a call is really made. A further shape would cost 10 ms, and a further function of the same shape costs 0.3,
 * so all functions are bound in one shape (decision 118).
 */
final class NativeLibc implements Libc {
    /** Numbers of both x86-64 and aarch64; older C libraries have no wrapper for these two calls. */
    private static final long SYS_PIDFD_SEND_SIGNAL = 424;

    private static final long SYS_PIDFD_OPEN = 434;

    /**
     * Six registers and one that returns. By the conventions of both x86-64 and aarch64 a function finds its integers and
     * addresses in these one after the other, after a variable number of arguments too; it looks at no more of them than it
     * has parameters, and at no more of each than is in its type. As addresses, because the JVM then keeps the memory.
     */
    private static final FunctionDescriptor SHAPE =
            FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);

    /** For parameters that a function does not have. */
    static final MemorySegment NONE = MemorySegment.NULL;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle STATE_ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    // Each handle in a class of its own: bound at its first call, and a constant to the compiler from then on.
    // What a function of the type int returns is cast to that first: the register's other half says nothing.

    private static final class Open {
        static final MethodHandle HANDLE = bind("open");
    }

    private static final class Close {
        static final MethodHandle HANDLE = bind("close");
    }

    private static final class Flock {
        static final MethodHandle HANDLE = bind("flock");
    }

    private static final class Syscall {
        static final MethodHandle HANDLE = bind("syscall");
    }

    private static final class Eventfd {
        static final MethodHandle HANDLE = bind("eventfd");
    }

    private static final class Write {
        static final MethodHandle HANDLE = bind("write");
    }

    private static final class Ioctl {
        static final MethodHandle HANDLE = bind("ioctl");
    }

    private static final class Poll {
        static final MethodHandle HANDLE = bind("poll");
    }

    @Override
    public int open(MemorySegment path, int flags, int mode) {
        return (int) call(
                state -> (int) (long) Open.HANDLE.invokeExact(state, path, word(flags), word(mode), NONE, NONE, NONE));
    }

    @Override
    public int close(int fd) {
        return (int)
                call(state -> (int) (long) Close.HANDLE.invokeExact(state, word(fd), NONE, NONE, NONE, NONE, NONE));
    }

    @Override
    public int flock(int fd, int operation) {
        return (int) call(state ->
                (int) (long) Flock.HANDLE.invokeExact(state, word(fd), word(operation), NONE, NONE, NONE, NONE));
    }

    @Override
    public int pidfdOpen(int pid, int flags) {
        return (int) call(state -> (int) (long)
                Syscall.HANDLE.invokeExact(state, word(SYS_PIDFD_OPEN), word(pid), word(flags), NONE, NONE, NONE));
    }

    @Override
    public int pidfdSendSignal(int pidfd, int signal) {
        return (int) call(state -> (int) (long) Syscall.HANDLE.invokeExact(
                state, word(SYS_PIDFD_SEND_SIGNAL), word(pidfd), word(signal), NONE, NONE, NONE));
    }

    @Override
    public int eventfd(int initial, int flags) {
        return (int) call(state ->
                (int) (long) Eventfd.HANDLE.invokeExact(state, word(initial), word(flags), NONE, NONE, NONE, NONE));
    }

    @Override
    public long write(int fd, MemorySegment bytes) {
        return call(state ->
                (long) Write.HANDLE.invokeExact(state, word(fd), bytes, word(bytes.byteSize()), NONE, NONE, NONE));
    }

    @Override
    public int ioctl(int fd, long request, MemorySegment argument) {
        return (int) call(state ->
                (int) (long) Ioctl.HANDLE.invokeExact(state, word(fd), word(request), argument, NONE, NONE, NONE));
    }

    @Override
    public int poll(MemorySegment fds, long count, int timeoutMillis) {
        return (int) call(state ->
                (int) (long) Poll.HANDLE.invokeExact(state, fds, word(count), word(timeoutMillis), NONE, NONE, NONE));
    }

    /**
     * Finds a function of at most six parameters, all of them integers or addresses. Restricted, because a wrong call would
     * corrupt memory: the calls are those of the man pages.
     */
    @SuppressWarnings("restricted")
    static MethodHandle bind(String function) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(function), SHAPE, ERRNO);
    }

    /** Returns an integer as an argument. */
    static MemorySegment word(long value) {
        return MemorySegment.ofAddress(value);
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
