package dev.cloche.vmm.protocol;

import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.GuestNetwork;
import dev.cloche.vm.Output;
import dev.cloche.vm.ResourceLimit;
import dev.cloche.vm.TerminalSize;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;

/** Writes what a host says; the table "Host to guest" of docs/guest-protocol.md. Pure. */
public final class HostFrames {
    private HostFrames() {}

    public static ByteBuffer ping(int request, long value) {
        return FrameEncoder.frame(
                Frame.PING, 0, request, new PayloadWriter().u64(value).toBytes());
    }

    public static ByteBuffer shutdown(int request, int graceMillis) {
        return FrameEncoder.frame(Frame.SHUTDOWN, 0, request, u32(graceMillis));
    }

    public static ByteBuffer stdin(int execution, byte[] bytes, int offset, int length) {
        return FrameEncoder.frame(Frame.STDIN, execution, 0, bytes, offset, length);
    }

    public static ByteBuffer stdinEof(int execution) {
        return FrameEncoder.frame(Frame.STDIN_EOF, execution, 0, new byte[0]);
    }

    public static ByteBuffer signal(int execution, int request, int signal) {
        return FrameEncoder.frame(Frame.SIGNAL, execution, request, u32(signal));
    }

    public static ByteBuffer credit(int execution, Output output, int bytes) {
        byte[] payload = new PayloadWriter().u32(output.channel()).u32(bytes).toBytes();
        return FrameEncoder.frame(Frame.CREDIT, execution, 0, payload);
    }

    public static ByteBuffer resize(int execution, int request, TerminalSize size) {
        byte[] payload =
                new PayloadWriter().u32(size.rows()).u32(size.columns()).toBytes();
        return FrameEncoder.frame(Frame.RESIZE, execution, request, payload);
    }

    public static ByteBuffer attach(int execution, int request, int credit, AttachPoint from) {
        byte[] payload = new PayloadWriter()
                .u32(credit)
                .u64(from.stdout())
                .u64(from.stderr())
                .toBytes();
        return FrameEncoder.frame(Frame.ATTACH, execution, request, payload);
    }

    public static ByteBuffer acknowledge(int execution, Output output, long offset) {
        byte[] payload = new PayloadWriter().u32(output.channel()).u64(offset).toBytes();
        return FrameEncoder.frame(Frame.ACKNOWLEDGE, execution, 0, payload);
    }

    public static ByteBuffer list(int request, int above) {
        return FrameEncoder.frame(Frame.LIST, 0, request, u32(above));
    }

    public static ByteBuffer grow(int request, long bytes) {
        return FrameEncoder.frame(
                Frame.GROW, 0, request, new PayloadWriter().u64(bytes).toBytes());
    }

    public static ByteBuffer freeze(int request, int thawAfterMillis) {
        return FrameEncoder.frame(Frame.FREEZE, 0, request, u32(thawAfterMillis));
    }

    /** Returns a request without a payload: DETACH and RELEASE of an execution, METRICS, THAW, QUIESCE and AWAIT_INIT. */
    public static ByteBuffer bare(int type, int execution, int request) {
        return FrameEncoder.frame(type, execution, request, new byte[0]);
    }

    public static ByteBuffer dial(int request, DialRequest dial, int credit) {
        return switch (dial) {
            case DialRequest.Port(int port, boolean asLoopback, Duration patience) ->
                dial(request, credit, asLoopback ? Frame.DIAL_AS_LOOPBACK : 0, port, patience, "", "");
            case DialRequest.UnixSocket(String path, String user, Duration patience) ->
                dial(request, credit, 0, 0, patience, path, user);
        };
    }

    private static ByteBuffer dial(
            int request, int credit, int flags, int port, Duration patience, String path, String user) {
        byte[] payload = new PayloadWriter()
                .u32(flags)
                .u32(credit)
                .u32(port)
                .u32((int) patience.toMillis())
                .text(path)
                .text(user)
                .toBytes();
        return FrameEncoder.frame(Frame.DIAL, 0, request, payload);
    }

    /**
     * Returns the end of a connection.
     *
     * @param atOnce whether the guest's program sees a reset, and gets no more of what was sent
     */
    public static ByteBuffer hangUp(int stream, boolean atOnce) {
        return FrameEncoder.frame(Frame.HANG_UP, stream, 0, u32(atOnce ? 0 : 1));
    }

    public static ByteBuffer exec(int request, ExecRequest exec, int credit) {
        PayloadWriter out = new PayloadWriter();
        out.u32(flags(exec)).u32(credit).u32(exec.window());
        out.u32(exec.arguments().size());
        exec.arguments().forEach(out::text);
        out.u32(exec.environment().size());
        exec.environment().forEach((name, value) -> out.text(name + "=" + value));
        out.text(exec.workingDirectory());
        out.text(exec.user());
        out.u32(exec.terminal().map(TerminalSize::rows).orElse(0));
        out.u32(exec.terminal().map(TerminalSize::columns).orElse(0));
        out.u32(exec.limits().size());
        for (ResourceLimit limit : exec.limits()) {
            out.u32(limit.resource().number()).u64(limit.soft()).u64(limit.hard());
        }
        exec.key().ifPresent(out::text);
        exec.stopSignal().ifPresent(out::u32);
        return FrameEncoder.message(Frame.EXEC, 0, request, out.toBytes());
    }

    public static int flags(ExecRequest exec) {
        int flags = (exec.terminal().isPresent() ? Frame.EXEC_TERMINAL : 0)
                | (exec.key().isPresent() ? Frame.EXEC_KEYED : 0)
                | (exec.stopSignal().isPresent() && !exec.has(ExecRequest.Option.INIT) ? Frame.EXEC_STOP_SIGNAL : 0);
        for (ExecRequest.Option option : exec.options()) {
            flags |= switch (option) {
                case STDIN -> Frame.EXEC_STDIN;
                case MAIN -> Frame.EXEC_MAIN;
                case CREATE_WORKING_DIRECTORY -> Frame.EXEC_CREATE_CWD;
                case ACKNOWLEDGED -> Frame.EXEC_ACKNOWLEDGED;
                case INIT -> Frame.EXEC_INIT;
            };
        }
        return flags;
    }

    public static ByteBuffer configure(int request, GuestIdentity identity) {
        PayloadWriter out = new PayloadWriter();
        identity.hostname().ifPresent(name -> out.field(1, utf8(name)));
        identity.clock().ifPresent(clock -> out.field(2, nanos(clock)));
        identity.entropy().ifPresent(entropy -> out.field(3, entropy));
        identity.machineId().ifPresent(id -> out.field(4, utf8(id)));
        identity.environment().forEach((name, value) -> out.field(5, utf8(name + "=" + value)));
        identity.secrets().forEach((name, value) -> out.field(6, secret(name, value)));
        identity.network().ifPresent(network -> out.field(7, network(network)));
        if (identity.endsExecutions()) {
            out.field(8, new byte[0]);
        }
        if (identity.removesSecrets()) {
            out.field(9, new byte[0]);
        }
        return FrameEncoder.message(Frame.CONFIGURE, 0, request, out.toBytes());
    }

    private static byte[] secret(String name, byte[] value) {
        byte[] prefix = utf8(name + "=");
        return new PayloadWriter()
                .raw(prefix, 0, prefix.length)
                .raw(value, 0, value.length)
                .toBytes();
    }

    private static byte[] network(GuestNetwork network) {
        PayloadWriter out = new PayloadWriter();
        out.u32(network.mtu().orElse(0));
        out.text(network.mac().map(HexFormat.ofDelimiter(":")::parseHex).orElse(new byte[0]));
        for (List<String> texts : List.of(network.addresses(), network.gateways(), network.nameServers())) {
            out.u32(texts.size());
            texts.forEach(out::text);
        }
        return out.toBytes();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] nanos(Instant clock) {
        long nanos = Math.addExact(Math.multiplyExact(clock.getEpochSecond(), 1_000_000_000L), clock.getNano());
        return new PayloadWriter().u64(nanos).toBytes();
    }

    private static byte[] u32(int value) {
        return new PayloadWriter().u32(value).toBytes();
    }
}
