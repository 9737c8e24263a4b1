package dev.cloche.vmm.protocol;

import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Goodbye;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.GuestHello;
import dev.cloche.vm.GuestMetrics;
import dev.cloche.vm.Output;
import dev.cloche.vm.SpawnException;
import dev.cloche.vm.VmException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Says what a guest says; the table "Guest to host" of docs/guest-protocol.md. */
public sealed interface GuestMessage {
    record ResetAck(long nonce) implements GuestMessage {}

    record Hello(GuestHello hello) implements GuestMessage {}

    /** Says what happens to an execution, or to a connection that was dialed: the ids of those are negative. */
    sealed interface OfExecution extends GuestMessage {
        int execution();

        default boolean dialed() {
            return execution() < 0;
        }
    }

    /** Says what belongs to a request: DONE, PONG, FAILED, STARTED, ATTACHED, LISTING or MEASURED. */
    sealed interface Answer extends GuestMessage {
        int request();
    }

    record Pong(int request, ByteBuffer payload) implements Answer {}

    record Done(int request) implements Answer {}

    record Failed(int request, GuestFailure failure, String sentence) implements Answer {
        public VmException asException() {
            return switch (failure) {
                case COMMAND_NOT_FOUND -> new SpawnException.CommandNotFound(sentence);
                case COMMAND_NOT_EXECUTABLE -> new SpawnException.CommandNotExecutable(sentence);
                case BAD_WORKING_DIRECTORY -> new SpawnException.BadWorkingDirectory(sentence);
                case UNKNOWN_USER -> new SpawnException.UnknownUser(sentence);
                case UNKNOWN_GROUP -> new SpawnException.UnknownGroup(sentence);
                case BAD_LIMIT -> new SpawnException.BadLimit(sentence);
                case CONNECTION_REFUSED -> new GuestException.ConnectionRefused(sentence);
                case BAD_REQUEST,
                        UNSUPPORTED,
                        NO_SUCH_EXECUTION,
                        OUT_OF_RESOURCES,
                        INTERNAL,
                        NEEDS_IDENTITY,
                        FROZEN,
                        STILL_RUNNING,
                        KEY_TAKEN -> new GuestException.Refused(failure, sentence);
            };
        }
    }

    record Started(int request, int execution, int processId, int stdinCredit) implements Answer {}

    record Attached(
            int request,
            int execution,
            int processId,
            boolean stdin,
            int stdinCredit,
            long stdinOffset,
            AttachPoint from)
            implements Answer {}

    record Listing(int request, List<ExecutionInfo> executions) implements Answer {}

    record Measured(int request, GuestMetrics metrics) implements Answer {}

    record Written(int execution, Output output, long offset, ByteBuffer bytes) implements OfExecution {}

    record Detached(int execution) implements OfExecution {}

    record Ended(int execution, ExitStatus status) implements OfExecution {}

    record StdinCredit(int execution, int bytes) implements OfExecution {}

    /** Says that the guest's side of a connection has ended. */
    record OutputEnded(int execution) implements OfExecution {}

    record ResetByGuest(int execution) implements OfExecution {}

    record LastWords(Goodbye goodbye) implements GuestMessage {}

    /**
     * Reads a frame of a guest.
     *
     * @throws GuestException.ProtocolBroken if it is none that the protocol knows
     */
    static GuestMessage parse(Frame frame) {
        PayloadReader in = new PayloadReader("frame 0x" + Integer.toHexString(frame.type()), frame.payload());
        if (frame.more()) {
            throw in.bad("may not be continued");
        }
        if (isAnswer(frame.type()) != (frame.request() != 0) || isOfExecution(frame.type()) != (frame.stream() != 0)) {
            throw in.bad("has a wrong stream or request");
        }
        GuestMessage message = switch (frame.type()) {
            case Frame.RESET_ACK -> new ResetAck(in.u64());
            case Frame.PONG -> new Pong(frame.request(), in.rest().slice());
            case Frame.HELLO -> new Hello(hello(in));
            case Frame.DONE -> new Done(frame.request());
            case Frame.FAILED -> failed(frame, in);
            case Frame.STARTED -> new Started(frame.request(), frame.stream(), in.u32(), in.u32(0, Frame.MAX_CREDIT));
            case Frame.STDOUT -> written(frame, Output.STDOUT, in);
            case Frame.STDERR -> written(frame, Output.STDERR, in);
            case Frame.EXITED -> new Ended(frame.stream(), status(in));
            case Frame.STDIN_CREDIT -> new StdinCredit(frame.stream(), in.u32(0, Frame.MAX_CREDIT));
            case Frame.GOODBYE -> new LastWords(goodbye(in));
            case Frame.DETACHED -> new Detached(frame.stream());
            case Frame.ATTACHED -> attached(frame, in);
            case Frame.LISTING -> new Listing(frame.request(), ListingReader.executions(in));
            case Frame.OUTPUT_EOF -> new OutputEnded(frame.stream());
            case Frame.RESET_BY_GUEST -> new ResetByGuest(frame.stream());
            case Frame.MEASURED -> new Measured(frame.request(), MetricsReader.metrics(in));
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

    private static boolean isAnswer(int type) {
        return switch (type) {
            case Frame.PONG, Frame.DONE, Frame.FAILED, Frame.STARTED, Frame.ATTACHED, Frame.LISTING, Frame.MEASURED ->
                true;
            default -> false;
        };
    }

    private static boolean isOfExecution(int type) {
        return switch (type) {
            case Frame.STARTED,
                    Frame.STDOUT,
                    Frame.STDERR,
                    Frame.EXITED,
                    Frame.STDIN_CREDIT,
                    Frame.DETACHED,
                    Frame.OUTPUT_EOF,
                    Frame.RESET_BY_GUEST,
                    Frame.ATTACHED -> true;
            default -> false;
        };
    }

    private static Written written(Frame frame, Output output, PayloadReader in) {
        long offset = in.u63();
        ByteBuffer bytes = in.rest().slice();
        if (!bytes.hasRemaining()) {
            throw in.bad("is empty");
        }
        return new Written(frame.stream(), output, offset, bytes);
    }

    private static Attached attached(Frame frame, PayloadReader in) {
        int processId = in.u32();
        int flags = in.u32(0, Frame.EXEC_ALL);
        int credit = in.u32(0, Frame.MAX_CREDIT);
        return new Attached(
                frame.request(),
                frame.stream(),
                processId,
                (flags & Frame.EXEC_STDIN) != 0,
                credit,
                in.u63(),
                new AttachPoint(in.u63(), in.u63()));
    }

    /** Returns a kind and value as in EXITED. */
    static ExitStatus status(PayloadReader in) {
        return switch (in.u32(0, 1)) {
            case 0 -> new ExitStatus.Exited(in.u32(0, 255));
            default -> new ExitStatus.Signalled(in.u32(1, 64));
        };
    }

    private static Goodbye goodbye(PayloadReader in) {
        return switch (in.u32(Frame.GOODBYE_REQUESTED, Frame.GOODBYE_REQUESTED_WITH_MAIN)) {
            case Frame.GOODBYE_REQUESTED -> {
                in.u32(0, 0);
                yield new Goodbye(Goodbye.Reason.SHUTDOWN_REQUESTED, Optional.empty(), in.u32(0, Goodbye.MOST_KILLED));
            }
            case Frame.GOODBYE_MAIN_ENDED -> new Goodbye(Goodbye.Reason.MAIN_ENDED, Optional.of(status(in)));
            default ->
                new Goodbye(Goodbye.Reason.SHUTDOWN_REQUESTED, Optional.of(status(in)), in.u32(0, Goodbye.MOST_KILLED));
        };
    }
}
