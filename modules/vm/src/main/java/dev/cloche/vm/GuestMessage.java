package dev.cloche.vm;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;

/** What a guest says; the table "Guest to host" of docs/guest-protocol.md. */
sealed interface GuestMessage {
    record ResetAck(long nonce) implements GuestMessage {}

    record Hello(GuestHello hello) implements GuestMessage {}

    /** DONE, PONG, FAILED or STARTED. */
    sealed interface Answer extends GuestMessage {
        int request();
    }

    record Pong(int request, ByteBuffer payload) implements Answer {}

    record Done(int request) implements Answer {}

    record Failed(int request, GuestFailure failure, String sentence) implements Answer {
        VmException asException() {
            return switch (failure) {
                case COMMAND_NOT_FOUND -> new SpawnException.CommandNotFound(sentence);
                case COMMAND_NOT_EXECUTABLE -> new SpawnException.CommandNotExecutable(sentence);
                case BAD_WORKING_DIRECTORY -> new SpawnException.BadWorkingDirectory(sentence);
                case UNKNOWN_USER -> new SpawnException.UnknownUser(sentence);
                case UNKNOWN_GROUP -> new SpawnException.UnknownGroup(sentence);
                case BAD_LIMIT -> new SpawnException.BadLimit(sentence);
                case BAD_REQUEST,
                        UNSUPPORTED,
                        NO_SUCH_EXECUTION,
                        OUT_OF_RESOURCES,
                        INTERNAL,
                        NEEDS_IDENTITY,
                        FROZEN,
                        STILL_RUNNING -> new GuestRefusedException(failure, sentence);
            };
        }
    }

    record Started(int request, int execution, int processId, int stdinCredit) implements Answer {}

    record Output(int execution, boolean error, long offset, ByteBuffer bytes) implements GuestMessage {}

    record Ended(int execution, ExitStatus status) implements GuestMessage {}

    record StdinCredit(int execution, int bytes) implements GuestMessage {}

    record LastWords(Goodbye goodbye) implements GuestMessage {}

    /**
     * Reads a frame of a guest.
     *
     * @throws GuestProtocolException if it is none that the protocol knows
     */
    static GuestMessage parse(Frame frame) {
        PayloadReader in = new PayloadReader("frame 0x" + Integer.toHexString(frame.type()), frame.payload());
        if (frame.more()) {
            throw in.bad("may not be continued");
        }
        boolean answer = frame.type() == Frame.PONG
                || frame.type() == Frame.DONE
                || frame.type() == Frame.FAILED
                || frame.type() == Frame.STARTED;
        boolean ofExecution = frame.type() >= Frame.STARTED && frame.type() <= Frame.STDIN_CREDIT;
        if (answer != (frame.request() != 0) || ofExecution != (frame.stream() != 0)) {
            throw in.bad("has a wrong stream or request");
        }
        GuestMessage message = switch (frame.type()) {
            case Frame.RESET_ACK -> new ResetAck(in.u64());
            case Frame.PONG -> new Pong(frame.request(), in.rest().slice());
            case Frame.HELLO -> new Hello(hello(in));
            case Frame.DONE -> new Done(frame.request());
            case Frame.FAILED -> failed(frame, in);
            case Frame.STARTED -> new Started(frame.request(), frame.stream(), in.u32(), in.u32(0, Frame.MAX_CREDIT));
            case Frame.STDOUT, Frame.STDERR -> output(frame, in);
            case Frame.EXITED -> new Ended(frame.stream(), status(in));
            case Frame.STDIN_CREDIT -> new StdinCredit(frame.stream(), in.u32(0, Frame.MAX_CREDIT));
            case Frame.GOODBYE -> new LastWords(goodbye(in));
            default -> throw in.bad("is unknown");
        };
        if (frame.type() != Frame.PONG && frame.type() != Frame.STDOUT && frame.type() != Frame.STDERR) {
            in.end();
        }
        return message;
    }

    private static GuestHello hello(PayloadReader in) {
        return new GuestHello(in.u32(), Duration.ofNanos(in.u63()), Duration.ofNanos(in.u63()), in.sentence(256));
    }

    private static Failed failed(Frame frame, PayloadReader in) {
        int code = in.u32();
        GuestFailure failure = GuestFailure.of(code)
                .orElseThrow(() -> in.bad("has an unknown code " + Integer.toUnsignedString(code)));
        return new Failed(frame.request(), failure, in.sentence(1024));
    }

    private static Output output(Frame frame, PayloadReader in) {
        long offset = in.u63();
        ByteBuffer bytes = in.rest().slice();
        if (!bytes.hasRemaining()) {
            throw in.bad("is empty");
        }
        return new Output(frame.stream(), frame.type() == Frame.STDERR, offset, bytes);
    }

    private static ExitStatus status(PayloadReader in) {
        return switch (in.u32(0, 1)) {
            case 0 -> new ExitStatus.Exited(in.u32(0, 255));
            default -> new ExitStatus.Signalled(in.u32(1, 64));
        };
    }

    private static Goodbye goodbye(PayloadReader in) {
        if (in.u32(1, 2) == 1) {
            in.u32(0, 0);
            in.u32(0, 0);
            return new Goodbye(Goodbye.Reason.SHUTDOWN_REQUESTED, Optional.empty());
        }
        return new Goodbye(Goodbye.Reason.MAIN_ENDED, Optional.of(status(in)));
    }
}
