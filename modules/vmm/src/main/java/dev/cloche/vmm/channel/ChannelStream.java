package dev.cloche.vmm.channel;

import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.Output;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.protocol.GuestMessage;
import dev.cloche.vmm.protocol.HostFrames;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicBoolean;

/** The host's side of one stream that was dialed. */
final class ChannelStream implements GuestStream {
    /** How much of it may wait on the host. */
    static final int WINDOW = 64 * 1024;

    private static final int PIECE = 16 * 1024;

    private final FrameSink sink;
    private final int id;
    private final String target;
    private final CreditedStream output;
    private final OutputWindow input;
    private final AtomicBoolean closed = new AtomicBoolean();
    /** The guest has said its last word. */
    private volatile boolean over;

    private volatile boolean inputEnded;
    private volatile boolean outputShut;

    ChannelStream(FrameSink sink, GuestMessage.Started started, String target) {
        this.sink = sink;
        this.target = target;
        id = started.execution();
        output = new CreditedStream(
                sink,
                started.stdinCredit(),
                (bytes, offset, length) -> HostFrames.stdin(id, bytes, offset, length),
                () -> sink.sendNow(HostFrames.stdinEof(id)));
        input = new OutputWindow(
                "what comes from " + target,
                WINDOW,
                bytes -> sink.sendNow(HostFrames.credit(id, Output.STDOUT, bytes)));
    }

    int id() {
        return id;
    }

    String target() {
        return target;
    }

    @Override
    public int read(ByteBuffer buffer) throws IOException {
        if (!buffer.hasRemaining()) {
            return 0;
        }
        byte[] bytes = new byte[Math.min(buffer.remaining(), PIECE)];
        try {
            int count = input.read(bytes, 0, bytes.length);
            buffer.put(bytes, 0, Math.max(0, count));
            return count;
        } catch (VmException broken) {
            throw asSocket(broken);
        } catch (IOException e) {
            throw closed.get() ? new ClosedChannelException() : e;
        }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        int before = source.remaining();
        try {
            while (source.hasRemaining()) {
                byte[] bytes = new byte[Math.min(source.remaining(), PIECE)];
                source.get(source.position(), bytes);
                output.write(bytes, 0, bytes.length);
                source.position(source.position() + bytes.length);
            }
            return before;
        } catch (VmException broken) {
            throw asSocket(broken);
        } catch (IOException e) {
            if (closed.get()) {
                throw new ClosedChannelException();
            }
            throw outputShut ? new SocketException("the output of the connection to " + target + " is shut down") : e;
        }
    }

    private static IOException asSocket(VmException broken) {
        SocketException e = new SocketException(broken.sentence());
        e.initCause(broken);
        return e;
    }

    @Override
    public void shutdownOutput() {
        outputShut = true;
        output.close();
    }

    @Override
    public boolean isOpen() {
        return !closed.get();
    }

    @Override
    public void close() {
        end(false);
    }

    @Override
    public void abort() {
        end(true);
    }

    private void end(boolean atOnce) {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        output.cut();
        input.cut();
        if (!over) {
            sink.sendNow(HostFrames.hangUp(id, atOnce));
        }
    }

    /** @throws GuestException.ProtocolBroken if the guest may not send it */
    void arrived(GuestMessage.Written written) {
        if (written.output() != Output.STDOUT || inputEnded) {
            throw new GuestException.ProtocolBroken("a connection is sent what it cannot have");
        }
        input.arrived(written.offset(), written.bytes());
    }

    void granted(int bytes) {
        output.granted(bytes);
    }

    /** @throws GuestException.ProtocolBroken if it had ended */
    void outputEnded() {
        if (inputEnded) {
            throw new GuestException.ProtocolBroken("a connection ends twice");
        }
        inputEnded = true;
        input.end();
    }

    /** @throws GuestException.ProtocolBroken if its guest cannot have ended it in order */
    void ended() {
        if (!closed.get() && !(inputEnded && outputShut)) {
            throw new GuestException.ProtocolBroken("a connection ends that was not closed");
        }
        over = true;
    }

    void fail(VmException cause) {
        over = true;
        output.fail(cause);
        input.fail(cause);
    }
}
