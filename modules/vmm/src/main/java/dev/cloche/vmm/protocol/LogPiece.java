package dev.cloche.vmm.protocol;

import dev.cloche.vm.GuestException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;

/** Holds a LOG frame of docs/guest-protocol.md: a part of what the main execution wrote. */
public record LogPiece(boolean error, Instant time, long offset, ByteBuffer bytes) {
    private static final long SECOND = 1_000_000_000L;
    private static final int STDOUT = 1;
    private static final int STDERR = 2;

    /** Reads a frame; empty if it is something else: the log is the guest's, and may hold anything. */
    public static Optional<LogPiece> of(Frame frame) {
        PayloadReader in = new PayloadReader("log", frame.payload());
        try {
            boolean known = frame.type() == Frame.LOG && (frame.stream() == STDOUT || frame.stream() == STDERR);
            if (!known) {
                return Optional.empty();
            }
            long nanos = in.u63();
            long offset = in.u63();
            ByteBuffer bytes = in.rest();
            if (!bytes.hasRemaining() || offset > Long.MAX_VALUE - bytes.remaining()) {
                return Optional.empty();
            }
            Instant time = Instant.ofEpochSecond(nanos / SECOND, nanos % SECOND);
            return Optional.of(new LogPiece(frame.stream() == STDERR, time, offset, copy(bytes)));
        } catch (GuestException.ProtocolBroken noPiece) {
            return Optional.empty();
        }
    }

    public long end() {
        return offset + bytes.remaining();
    }

    private static ByteBuffer copy(ByteBuffer view) {
        return ByteBuffer.allocate(view.remaining()).put(view).flip().asReadOnlyBuffer();
    }
}
