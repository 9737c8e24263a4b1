package dev.cloche.interpreter;

import dev.cloche.vm.GuestStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** A stream to what is no guest: a socket of this host, or a test. */
public record ChannelStream(ReadableByteChannel in, WritableByteChannel out) implements GuestStream {
    @Override
    public int read(ByteBuffer target) throws IOException {
        return in.read(target);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return out.write(source);
    }

    @Override
    public void shutdownOutput() throws IOException {
        out.close();
    }

    @Override
    public boolean isOpen() {
        return in.isOpen();
    }

    @Override
    public void close() {
        try (out) {
            in.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void abort() {
        close();
    }
}
