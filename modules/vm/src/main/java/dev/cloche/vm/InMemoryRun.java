package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.nio.channels.ByteChannel;
import java.util.concurrent.CompletableFuture;

/** An in-memory guest as a handle sees it. */
final class InMemoryRun implements Run {
    private final InMemoryGuest guest;
    private final ByteChannel channel;
    private final Runnable onDetach;
    private final Runnable onClose;

    InMemoryRun(InMemoryGuest guest, ByteChannel channel, Runnable onDetach, Runnable onClose) {
        this.guest = guest;
        this.channel = channel;
        this.onDetach = onDetach;
        this.onClose = onClose;
    }

    @Override
    public ByteChannel channel() {
        return channel;
    }

    @Override
    public CompletableFuture<VmExit> ended() {
        return guest.ended();
    }

    @Override
    public void stopAsked() {
        guest.stopAsked();
    }

    @Override
    public void kill() {
        guest.die(VmExit.Cause.KILLED);
    }

    @Override
    public void pause(Deadline deadline) {
        guest.pause(true);
    }

    @Override
    public void resume(Deadline deadline) {
        guest.pause(false);
    }

    /** For whoever adopts it; a guest of this kind lives as long as its JVM in any case. */
    @Override
    public void detach() {
        onDetach.run();
    }

    @Override
    public void close() {
        onClose.run();
    }
}
