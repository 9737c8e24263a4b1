package dev.cloche.vm;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;

/**
 * A piece of what the main execution of a VM wrote. All of it, the time included, is the guest's word.
 *
 * @param error whether it was written to the standard error
 * @param time when the guest's agent read it, by the guest's clock
 * @param missing how many bytes of the same output went before it and are not kept any more
 * @param bytes read-only, at least one
 */
public record OutputLogEntry(boolean error, Instant time, long missing, ByteBuffer bytes) {
    private static final long SECOND = 1_000_000_000L;
    private static final int STDOUT = 1;
    private static final int STDERR = 2;

    /** A LOG frame of docs/guest-protocol.md. */
    record Piece(boolean error, Instant time, long offset, ByteBuffer bytes) {
        /** Empty if the frame is something else: the log is the guest's, and may hold anything. */
        static Optional<Piece> of(Frame frame) {
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
                return Optional.of(new Piece(frame.stream() == STDERR, time, offset, copy(bytes)));
            } catch (GuestProtocolException noPiece) {
                return Optional.empty();
            }
        }

        long end() {
            return offset + bytes.remaining();
        }

        private static ByteBuffer copy(ByteBuffer view) {
            return ByteBuffer.allocate(view.remaining()).put(view).flip().asReadOnlyBuffer();
        }
    }
}
