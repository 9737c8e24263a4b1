package dev.cloche.qemu.guard;

import dev.cloche.linux.PinnedProcess;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** The guard of a running VM, as a process that can be killed and waited for. */
public sealed interface Guard extends AutoCloseable {
    /** Completes when it has ended, and with it the VM. */
    CompletableFuture<?> onEnd();

    /** Has it kill the VM and end; does nothing if it has ended. */
    void kill();

    /** Lets go of it. */
    @Override
    void close();

    /** Describes a child of this process; its standard input is the owner's pipe. */
    record Child(Process process) implements Guard {
        /** Returns what the JVM's reaper completes, which waits for the end in the kernel. */
        @Override
        public CompletableFuture<?> onEnd() {
            return process.onExit();
        }

        /** Kills it. The JVM has not reaped its child before it says that it has ended, so the pid is no other's. */
        @Override
        public void kill() {
            process.destroy();
        }

        @Override
        public void close() {
            try {
                process.getOutputStream().close();
            } catch (IOException e) {
                System.getLogger(Guard.class.getName())
                        .log(System.Logger.Level.DEBUG, "closing the pipe of an ended guard", e);
            }
        }
    }

    /** Another process's child, or one of this process that is detached. */
    record Pinned(PinnedProcess process) implements Guard {
        private static final int SIGTERM = 15;

        @Override
        public CompletableFuture<?> onEnd() {
            return process.onEnd();
        }

        @Override
        public void kill() {
            process.signal(SIGTERM);
        }

        @Override
        public void close() {
            process.close();
        }
    }
}
