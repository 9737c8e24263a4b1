package dev.cloche.vmm.channel;

import dev.cloche.vm.GuestException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/** Says where frames to a guest go. */
public interface FrameSink {
    /** Queues a small frame and never waits; dropped if the connection is lost. */
    void sendNow(ByteBuffer frame);

    /**
     * Queues a frame when there is room, unless it is no longer wanted then: what is queued later overtakes none.
     *
     * @param wanted asked under the lock of the queue, so it must not wait
     * @throws GuestException.ConnectionLost if the connection is lost
     * @throws IOException if the thread is interrupted
     */
    void sendPatiently(ByteBuffer frame, BooleanSupplier wanted) throws IOException;
}
