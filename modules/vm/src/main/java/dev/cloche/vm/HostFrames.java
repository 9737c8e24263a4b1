package dev.cloche.vm;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;

/** Writes what a host says; the table "Host to guest" of docs/guest-protocol.md. Pure. */
final class HostFrames {
    private static final int EXEC_STDIN = 1;
    private static final int EXEC_MAIN = 2;
    private static final int EXEC_CREATE_CWD = 4;

    private HostFrames() {}

    static ByteBuffer ping(int request, long value) {
        return FrameEncoder.frame(
                Frame.PING, 0, request, new PayloadWriter().u64(value).toBytes());
    }

    static ByteBuffer shutdown(int request, int graceMillis) {
        return FrameEncoder.frame(Frame.SHUTDOWN, 0, request, u32(graceMillis));
    }

    static ByteBuffer stdin(int execution, byte[] bytes, int offset, int length) {
        return FrameEncoder.frame(Frame.STDIN, execution, 0, bytes, offset, length);
    }

    static ByteBuffer stdinEof(int execution) {
        return FrameEncoder.frame(Frame.STDIN_EOF, execution, 0, new byte[0]);
    }

    static ByteBuffer signal(int execution, int request, int signal) {
        return FrameEncoder.frame(Frame.SIGNAL, execution, request, u32(signal));
    }

    static ByteBuffer credit(int execution, boolean error, int bytes) {
        byte[] payload = new PayloadWriter().u32(error ? 2 : 1).u32(bytes).toBytes();
        return FrameEncoder.frame(Frame.CREDIT, execution, 0, payload);
    }

    static ByteBuffer exec(int request, ExecRequest exec, int window) {
        PayloadWriter out = new PayloadWriter();
        out.u32((exec.stdin() ? EXEC_STDIN : 0)
                | (exec.main() ? EXEC_MAIN : 0)
                | (exec.createWorkingDirectory() ? EXEC_CREATE_CWD : 0));
        out.u32(window);
        out.u32(exec.arguments().size());
        exec.arguments().forEach(out::text);
        out.u32(exec.environment().size());
        for (Map.Entry<String, String> variable : exec.environment().entrySet()) {
            out.text(variable.getKey() + "=" + variable.getValue());
        }
        out.text(exec.workingDirectory());
        out.text(exec.user());
        return FrameEncoder.message(Frame.EXEC, 0, request, out.toBytes());
    }

    static ByteBuffer configure(int request, GuestIdentity identity) {
        PayloadWriter out = new PayloadWriter();
        identity.hostname().ifPresent(name -> out.field(1, name.getBytes(StandardCharsets.UTF_8)));
        identity.clock().ifPresent(clock -> out.field(2, nanos(clock)));
        identity.entropy().ifPresent(entropy -> out.field(3, entropy));
        identity.machineId().ifPresent(id -> out.field(4, id.getBytes(StandardCharsets.UTF_8)));
        return FrameEncoder.message(Frame.CONFIGURE, 0, request, out.toBytes());
    }

    private static byte[] nanos(Instant clock) {
        long nanos = Math.addExact(Math.multiplyExact(clock.getEpochSecond(), 1_000_000_000L), clock.getNano());
        return new PayloadWriter().u64(nanos).toBytes();
    }

    private static byte[] u32(int value) {
        return new PayloadWriter().u32(value).toBytes();
    }
}
