package dev.cloche.interpreter;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cloche.vm.GuestStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;

/** Says what a test wants in place of a driver. */
public final class FakeGuest implements AutoCloseable {
    private final Pipe toHost = open();
    private final Pipe toGuest = open();

    private static Pipe open() {
        try {
            return Pipe.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the host's side. */
    public GuestStream stream() {
        return new ChannelStream(toHost.source(), toGuest.sink());
    }

    /** Says a frame. */
    public void say(String header, byte[] payload) {
        byte[] json = header.getBytes(UTF_8);
        raw(ByteBuffer.allocate(8 + json.length + payload.length)
                .putInt(json.length)
                .putInt(payload.length)
                .put(json)
                .put(payload)
                .array());
    }

    public void say(String header) {
        say(header, new byte[0]);
    }

    /** Says any bytes. */
    public void raw(byte[] bytes) {
        try {
            ByteBuffer all = ByteBuffer.wrap(bytes);
            while (all.hasRemaining()) {
                toHost.sink().write(all);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for what the host asks and returns its header; empty if the host has closed the connection. */
    public String hear() {
        ByteBuffer lengths = read(8);
        if (!lengths.hasRemaining()) {
            return "";
        }
        String header = new String(read(lengths.getInt()).array(), UTF_8);
        read(lengths.getInt());
        return header;
    }

    private ByteBuffer read(int length) {
        ByteBuffer read = ByteBuffer.allocate(length);
        try {
            while (read.hasRemaining() && toGuest.source().read(read) >= 0) {}
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return read.flip();
    }

    /** Says no more. */
    public void end() {
        try {
            toHost.sink().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        end();
        try {
            toGuest.source().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
