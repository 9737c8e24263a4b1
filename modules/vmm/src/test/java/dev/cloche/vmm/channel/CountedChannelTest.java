package dev.cloche.vmm.channel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.vm.ChannelTraffic;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import org.junit.jupiter.api.Test;

class CountedChannelTest {
    private final ChannelTraffic traffic = new ChannelTraffic();

    @Test
    void bytesAreCountedEachWayAndTheChannelOnce() throws IOException {
        CountedChannel channel = new CountedChannel(new ByteChannelOfFive(), traffic);
        assertThat(traffic.open()).isEqualTo(1);
        assertThat(channel.read(ByteBuffer.allocate(16))).isEqualTo(5);
        assertThat(channel.read(ByteBuffer.allocate(16))).isEqualTo(-1);
        assertThat(channel.write(ByteBuffer.allocate(7))).isEqualTo(7);
        assertThat(traffic.bytesReceived()).isEqualTo(5);
        assertThat(traffic.bytesSent()).isEqualTo(7);

        assertThat(channel.isOpen()).isTrue();
        channel.close();
        channel.close();
        assertThat(channel.isOpen()).isFalse();
        assertThat(traffic.open()).isZero();
    }

    /** Has five bytes to read, and then no more. */
    private static final class ByteChannelOfFive implements ByteChannel {
        private boolean read;
        private boolean closed;

        @Override
        public int read(ByteBuffer target) {
            if (read) {
                return -1;
            }
            read = true;
            target.put(new byte[5]);
            return 5;
        }

        @Override
        public int write(ByteBuffer source) {
            int count = source.remaining();
            source.position(source.limit());
            return count;
        }

        @Override
        public boolean isOpen() {
            return !closed;
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
