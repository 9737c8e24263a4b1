package dev.cloche.vm;

import java.nio.ByteBuffer;
import java.time.Duration;

/** Writes what a guest says; the table "Guest to host" of docs/guest-protocol.md. Pure. */
final class GuestFrames {
    private GuestFrames() {}

    static ByteBuffer resetAck(long nonce) {
        return frame(Frame.RESET_ACK, 0, 0, new PayloadWriter().u64(nonce));
    }

    static ByteBuffer hello(int version, Duration untilAgent, Duration untilReady, String agent) {
        return frame(
                Frame.HELLO,
                0,
                0,
                new PayloadWriter()
                        .u32(version)
                        .u64(untilAgent.toNanos())
                        .u64(untilReady.toNanos())
                        .text(agent));
    }

    static ByteBuffer pong(int request, byte[] payload) {
        return FrameEncoder.frame(Frame.PONG, 0, request, payload);
    }

    static ByteBuffer done(int request) {
        return frame(Frame.DONE, 0, request, new PayloadWriter());
    }

    static ByteBuffer failed(int request, GuestFailure failure, String sentence) {
        return frame(
                Frame.FAILED,
                0,
                request,
                new PayloadWriter().u32(failure.code()).text(sentence));
    }

    static ByteBuffer started(int request, int execution, int processId, int stdinCredit) {
        return frame(
                Frame.STARTED,
                execution,
                request,
                new PayloadWriter().u32(processId).u32(stdinCredit));
    }

    static ByteBuffer output(int execution, boolean error, long at, byte[] bytes, int offset, int length) {
        PayloadWriter payload = new PayloadWriter().u64(at).raw(bytes, offset, length);
        return frame(error ? Frame.STDERR : Frame.STDOUT, execution, 0, payload);
    }

    static ByteBuffer exited(int execution, ExitStatus status) {
        return frame(Frame.EXITED, execution, 0, put(new PayloadWriter(), status));
    }

    static ByteBuffer stdinCredit(int execution, int bytes) {
        return frame(Frame.STDIN_CREDIT, execution, 0, new PayloadWriter().u32(bytes));
    }

    static ByteBuffer goodbye(Goodbye goodbye) {
        PayloadWriter payload = new PayloadWriter();
        if (goodbye.mainExit().isPresent()) {
            put(payload.u32(2), goodbye.mainExit().get());
        } else {
            payload.u32(1).u32(0).u32(0);
        }
        return frame(Frame.GOODBYE, 0, 0, payload);
    }

    private static PayloadWriter put(PayloadWriter payload, ExitStatus status) {
        return switch (status) {
            case ExitStatus.Exited(int code) -> payload.u32(0).u32(code);
            case ExitStatus.Signalled(int signal) -> payload.u32(1).u32(signal);
        };
    }

    private static ByteBuffer frame(int type, int stream, int request, PayloadWriter payload) {
        return FrameEncoder.frame(type, stream, request, payload.toBytes());
    }
}
