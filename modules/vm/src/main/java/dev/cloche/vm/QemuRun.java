package dev.cloche.vm;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A VM of QEMU that runs, for the process that started it, one that adopted it, or one that is connected to it. */
final class QemuRun implements Run {
    private final VmId id;
    private final Guard guard;
    private final ByteChannel channel;
    private final Optional<LockFile> portLock;
    private final GuardFiles files;
    private final QemuMonitor monitor;
    private final CompletableFuture<VmExit> ended;

    /** @param portLock of a client's port; let go of at the end */
    QemuRun(Guard guard, ByteChannel channel, Optional<LockFile> portLock, VmLayout layout, VmId id) {
        this.id = id;
        this.guard = guard;
        this.channel = channel;
        this.portLock = portLock;
        files = new GuardFiles(layout.directory(id));
        monitor = new QemuMonitor(layout, id);
        // The guard records the end before it exits.
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
        guard.kill();
    }

    @Override
    public void pause(Deadline deadline) {
        monitor.execute("stop", deadline);
    }

    @Override
    public void resume(Deadline deadline) {
        try {
            // After others that speak to the monitor: whoever halted a guest for a moment must not leave it so.
            var _ = monitor.converse(deadline, this::goOn);
        } catch (IOException e) {
            throw new VmMonitorException("QEMU cannot be reached for 'cont': " + e.getMessage(), e);
        }
    }

    private QmpAnswer.Done goOn(QmpConversation qemu) throws IOException {
        if (files.imageAside()) {
            kill();
            throw new ImageAsideException(id);
        }
        return qemu.execute(QmpCommand.of("cont"));
    }

    @Override
    public void detach() {
        files.detach();
    }

    @Override
    public void close() {
        guard.close();
        portLock.ifPresent(LockFile::close);
    }
}
