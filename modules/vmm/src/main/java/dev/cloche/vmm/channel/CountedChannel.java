package dev.cloche.vmm.channel;

import dev.cloche.vm.ChannelTraffic;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.concurrent.atomic.AtomicBoolean;

/** Counts what goes through a channel. As thread-safe as that is. */
final class CountedChannel implements ByteChannel {
    private final ByteChannel channel;
    private final ChannelTraffic traffic;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** @param channel is open */
    CountedChannel(ByteChannel channel, ChannelTraffic traffic) {
        this.channel = channel;
        this.traffic = traffic;
        traffic.opened();
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int count = channel.read(target);
        if (count > 0) {
            traffic.received(count);
        }
        return count;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        int count = channel.write(source);
        traffic.sent(count);
        return count;
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        if (closed.compareAndSet(false, true)) {
            traffic.closed();
        }
        channel.close();
    }
}
