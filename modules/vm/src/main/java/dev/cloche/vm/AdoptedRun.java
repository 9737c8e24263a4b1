package dev.cloche.vm;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.PinnedProcess;
import java.nio.channels.ByteChannel;
import java.util.concurrent.CompletableFuture;

/** A VM whose guard was started by another process, or by this one and detached. */
final class AdoptedRun implements Run {
    private static final int SIGTERM = 15;

    private final PinnedProcess guard;
    private final ByteChannel channel;
    private final LockFile portLock;
    private final GuardFiles files;
    private final QemuMonitor monitor;
    private final CompletableFuture<VmExit> ended;

    AdoptedRun(
            PinnedProcess guard, ByteChannel channel, LockFile portLock, GuardFiles files, VmLayout layout, VmId id) {
        this.guard = guard;
        this.channel = channel;
        this.portLock = portLock;
        this.files = files;
        monitor = new QemuMonitor(layout, id);
        ended = guard.onEnd().thenApply(gone -> files.exitOrLost());
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
        guard.signal(SIGTERM);
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
        throw new IllegalStateException("who does not own a VM cannot detach it");
    }

    @Override
    public void close() {
        guard.close();
        portLock.close();
    }
}
