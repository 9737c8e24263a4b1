package dev.cloche.vmm.protocol;

import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Goodbye;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.Output;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Writes what a guest says; the table "Guest to host" of docs/guest-protocol.md. Pure. */
public final class GuestFrames {
    private GuestFrames() {}

    public static ByteBuffer resetAck(long nonce) {
        return frame(Frame.RESET_ACK, 0, 0, new PayloadWriter().u64(nonce));
    }

    public static ByteBuffer hello(int version, Duration untilAgent, Duration untilReady, String agent) {
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

    public static ByteBuffer pong(int request, byte[] payload) {
        return FrameEncoder.frame(Frame.PONG, 0, request, payload);
    }

    public static ByteBuffer done(int request) {
        return frame(Frame.DONE, 0, request, new PayloadWriter());
    }

    public static ByteBuffer failed(int request, GuestFailure failure, String sentence) {
        return frame(
                Frame.FAILED,
                0,
                request,
                new PayloadWriter().u32(failure.code()).text(sentence));
    }

    public static ByteBuffer started(int request, int execution, int processId, int stdinCredit) {
        return frame(
                Frame.STARTED,
                execution,
                request,
                new PayloadWriter().u32(processId).u32(stdinCredit));
    }

    public static ByteBuffer output(int execution, Output output, long at, byte[] bytes) {
        PayloadWriter payload = new PayloadWriter().u64(at).raw(bytes, 0, bytes.length);
        return frame(output == Output.STDERR ? Frame.STDERR : Frame.STDOUT, execution, 0, payload);
    }

    public static ByteBuffer attached(
            int request, int execution, int flags, int stdinCredit, long stdinOffset, AttachPoint from) {
        PayloadWriter payload = new PayloadWriter()
                .u32(execution)
                .u32(flags)
                .u32(stdinCredit)
                .u64(stdinOffset)
                .u64(from.stdout())
                .u64(from.stderr());
        return frame(Frame.ATTACHED, execution, request, payload);
    }

    public static ByteBuffer detached(int execution) {
        return frame(Frame.DETACHED, execution, 0, new PayloadWriter());
    }

    public static ByteBuffer listing(int request, List<ExecutionInfo> executions) {
        PayloadWriter payload = new PayloadWriter().u32(executions.size());
        for (ExecutionInfo execution : executions) {
            byte[] listed = listed(execution).toBytes();
            payload.raw(listed, 0, listed.length);
        }
        return frame(Frame.LISTING, 0, request, payload);
    }

    /** Returns one execution in a LISTING. */
    public static PayloadWriter listed(ExecutionInfo execution) {
        PayloadWriter payload = new PayloadWriter()
                .u32(execution.id())
                .u32(execution.processId())
                .u32(flags(execution));
        if (execution.end().isPresent()) {
            put(payload.u32(1), execution.end().get());
        } else {
            payload.u32(0).u32(0).u32(0);
        }
        payload.u32(execution.attached() ? 1 : 0)
                .u64(nanos(execution.startedAt()))
                .u64(execution.endedAt().map(GuestFrames::nanos).orElse(0L))
                .u64(execution.stdout().from())
                .u64(execution.stdout().to())
                .u64(execution.stderr().from())
                .u64(execution.stderr().to())
                .text(execution.program());
        execution.key().ifPresent(payload::text);
        return payload;
    }

    private static int flags(ExecutionInfo execution) {
        return (execution.stdin() ? Frame.EXEC_STDIN : 0)
                | (execution.main() ? Frame.EXEC_MAIN : 0)
                | (execution.terminal() ? Frame.EXEC_TERMINAL : 0)
                | (execution.acknowledged() ? Frame.EXEC_ACKNOWLEDGED : 0)
                | (execution.key().isPresent() ? Frame.EXEC_KEYED : 0);
    }

    private static long nanos(Instant time) {
        return time.getEpochSecond() * 1_000_000_000 + time.getNano();
    }

    /**
     * Writes a MEASURED frame.
     *
     * @param values by tag
     */
    public static ByteBuffer measured(int request, Map<Integer, Long> values) {
        PayloadWriter payload = new PayloadWriter();
        values.forEach((tag, value) -> payload.u32(tag).u64(value));
        return frame(Frame.MEASURED, 0, request, payload);
    }

    public static ByteBuffer exited(int execution, ExitStatus status) {
        return frame(Frame.EXITED, execution, 0, put(new PayloadWriter(), status));
    }

    public static ByteBuffer stdinCredit(int execution, int bytes) {
        return frame(Frame.STDIN_CREDIT, execution, 0, new PayloadWriter().u32(bytes));
    }

    public static ByteBuffer goodbye(Goodbye goodbye) {
        PayloadWriter payload = new PayloadWriter();
        if (goodbye.mainExit().isEmpty()) {
            payload.u32(Frame.GOODBYE_REQUESTED).u32(0).u32(goodbye.killed());
        } else if (goodbye.reason() == Goodbye.Reason.MAIN_ENDED) {
            put(payload.u32(Frame.GOODBYE_MAIN_ENDED), goodbye.mainExit().get());
        } else {
            put(
                            payload.u32(Frame.GOODBYE_REQUESTED_WITH_MAIN),
                            goodbye.mainExit().get())
                    .u32(goodbye.killed());
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
