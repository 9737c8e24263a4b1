package dev.cloche.sandbox.directory;

import dev.cloche.vm.GuestStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/** A connection into a guest whose sandbox is in use until it is closed. */
public final class UsedConnection implements GuestStream {
    private final GuestStream stream;
    private final SandboxUse use;
    private final AtomicBoolean over = new AtomicBoolean();

    /** @param use that has begun */
    public UsedConnection(GuestStream stream, SandboxUse use) {
        this.stream = stream;
        this.use = use;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return stream.read(target);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return stream.write(source);
    }

    @Override
    public void shutdownOutput() throws IOException {
        stream.shutdownOutput();
    }

    @Override
    public boolean isOpen() {
        return stream.isOpen();
    }

    @Override
    public void close() {
        stream.close();
        endOnce();
    }

    @Override
    public void abort() {
        stream.abort();
        endOnce();
    }

    private void endOnce() {
        if (over.compareAndSet(false, true)) {
            use.end();
        }
    }
}
