package dev.cloche.vm;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what goes through the channels between this process and its guests: requests and answers, what commands read and
 * write, files and connections. Thread-safe.
 *
 * <pre>{@code
 * long before = ChannelTraffic.ofThisProcess().bytesReceived();
 * }</pre>
 */
public final class ChannelTraffic {
    private static final ChannelTraffic OF_THIS_PROCESS = new ChannelTraffic();

    private final AtomicInteger open = new AtomicInteger();
    private final LongAdder sent = new LongAdder();
    private final LongAdder received = new LongAdder();

    /** Makes counts of nothing yet. */
    public ChannelTraffic() {}

    /** Returns the counts of this process, of all that it has opened. */
    public static ChannelTraffic ofThisProcess() {
        return OF_THIS_PROCESS;
    }

    /** Returns how many channels are open: one for each guest that a handle or a pool of this process is connected to. */
    public int open() {
        return open.get();
    }

    /** Returns how many bytes guests were sent since this process began. */
    public long bytesSent() {
        return sent.sum();
    }

    /** Returns how many bytes came from guests since this process began. */
    public long bytesReceived() {
        return received.sum();
    }

    /** Counts a channel that a provider opens. */
    public void opened() {
        open.incrementAndGet();
    }

    /** Counts a channel that is open no more. */
    public void closed() {
        open.decrementAndGet();
    }

    /** Counts bytes that a provider has sent. */
    public void sent(int bytes) {
        sent.add(bytes);
    }

    /** Counts bytes that a provider has received. */
    public void received(int bytes) {
        received.add(bytes);
    }
}
