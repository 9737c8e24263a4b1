package dev.cloche.vmm.channel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.Pipe;

/** One end of a connection inside of this JVM: two pipes of the kernel, so that it fills, blocks and breaks like a socket. */
public final class PipeChannel implements ByteChannel {
    private final Pipe.SourceChannel in;
    private final Pipe.SinkChannel out;

    private PipeChannel(Pipe.SourceChannel in, Pipe.SinkChannel out) {
        this.in = in;
        this.out = out;
    }

    /** Both ends. */
    public record Pair(PipeChannel host, PipeChannel guest) {
        public static Pair open() throws IOException {
            Pipe toGuest = Pipe.open();
            Pipe toHost = Pipe.open();
            return new Pair(
                    new PipeChannel(toHost.source(), toGuest.sink()), new PipeChannel(toGuest.source(), toHost.sink()));
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return in.read(target);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return out.write(source);
    }

    @Override
    public boolean isOpen() {
        return in.isOpen();
    }

    @Override
    public void close() throws IOException {
        try (Pipe.SinkChannel _ = out) {
            in.close();
        }
    }
}
