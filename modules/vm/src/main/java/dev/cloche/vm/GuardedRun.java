package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.util.concurrent.CompletableFuture;

/** A VM whose guard is a child of this process; the guard's standard input is the owner's pipe. */
final class GuardedRun implements Run {
    /** What the guard takes for "outlive your starter". */
    private static final int DETACH = 'D';

    private final Process guard;
    private final ByteChannel channel;
    private final GuardFiles files;
    private final QemuMonitor monitor;
    private final CompletableFuture<VmExit> ended;

    GuardedRun(Process guard, ByteChannel channel, GuardFiles files, VmLayout layout, VmId id) {
        this.guard = guard;
        this.channel = channel;
        this.files = files;
        monitor = new QemuMonitor(layout, id);
        // The guard records the end before it exits; the JVM's reaper waits for that in the kernel.
        ended = guard.onExit().thenApply(gone -> files.exitOrLost());
    }

    /** Tells a guard that its VM outlives this process. */
    static void detach(Process guard) throws IOException {
        guard.getOutputStream().write(DETACH);
        guard.getOutputStream().flush();
    }

    @Override
    public ByteChannel channel() {
        return channel;
    }

    @Override
    public CompletableFuture<VmExit> ended() {
        return ended;
    }

    @Override
    public void stopAsked() {
        files.stopAsked();
    }

    @Override
    public void kill() {
        // SIGTERM. The JVM has not reaped this child before it says that it has ended, so the pid is no other's.
        guard.destroy();
    }

    @Override
    public void pause(Deadline deadline) {
        monitor.execute("stop", deadline);
    }

    @Override
    public void resume(Deadline deadline) {
        monitor.execute("cont", deadline);
    }

    @Override
    public void detach() {
        try {
            detach(guard);
        } catch (IOException e) {
            throw new VmMonitorException("The guard does not take orders any more", e);
        }
    }

    @Override
    public void close() {
        try {
            guard.getOutputStream().close();
        } catch (IOException e) {
            System.getLogger(GuardedRun.class.getName())
                    .log(System.Logger.Level.DEBUG, "closing the pipe of an ended guard", e);
        }
    }
}
