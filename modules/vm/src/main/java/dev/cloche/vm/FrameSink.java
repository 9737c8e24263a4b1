package dev.cloche.vm;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Where frames to a guest go. */
interface FrameSink {
    /** Queues a small frame and never waits; dropped if the connection is lost. */
    void sendNow(ByteBuffer frame);

    /**
     * Queues a frame when there is room.
     *
     * @throws GuestConnectionLostException if the connection is lost
     * @throws IOException if the thread is interrupted
     */
    void sendPatiently(ByteBuffer frame) throws IOException;
}
