package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** One connection of an in-memory guest: the agent's side of docs/guest-protocol.md. */
final class InMemoryPort implements FrameSink {
    private static final int SIGTERM = 15;

    private final InMemoryGuest guest;
    private final ByteChannel channel;
    private final Outbox outbox;
    private final Map<Integer, InMemoryExecution> executions = new ConcurrentHashMap<>();
    private final Set<InMemoryExecution> fileOperations = ConcurrentHashMap.newKeySet();
    private final ByteArrayOutputStream message = new ByteArrayOutputStream();

    InMemoryPort(InMemoryGuest guest, ByteChannel channel) {
        this.guest = guest;
        this.channel = channel;
        outbox = new Outbox(channel);
    }

    void start() {
        Thread.ofPlatform().daemon().name("cloche-in-memory-read").start(this::readAll);
        Thread.ofPlatform().daemon().name("cloche-in-memory-write").start(this::writeAll);
    }

    @Override
    public void sendNow(ByteBuffer frame) {
        outbox.offer(frame);
    }

    @Override
    public void sendPatiently(ByteBuffer frame) throws IOException {
        if (!outbox.put(frame, Deadline.none())) {
            throw new GuestConnectionLostException("the host is gone", null);
        }
    }

    /** Sends what is queued, then ends the connection. */
    void finish() {
        outbox.finish();
    }

    /** Ends the connection at once. */
    void cut() {
        outbox.close();
        try {
            channel.close();
        } catch (IOException e) {
            System.getLogger(InMemoryPort.class.getName()).log(System.Logger.Level.DEBUG, "cutting", e);
        }
    }

    private void writeAll() {
        try {
            outbox.drain();
        } catch (IOException hostIsGone) {
            detachAll();
        } finally {
            cut();
        }
    }

    private void readAll() {
        FrameDecoder decoder = new FrameDecoder();
        try {
            while (channel.read(decoder.space()) >= 0) {
                decoder.filled();
                Optional<Frame> frame = decoder.next();
                while (frame.isPresent()) {
                    guest.awaitRunning();
                    handle(frame.get());
                    frame = decoder.next();
                }
            }
        } catch (IOException hostIsGone) {
            System.getLogger(InMemoryPort.class.getName()).log(System.Logger.Level.TRACE, "host gone", hostIsGone);
        } finally {
            detachAll();
            cut();
            guest.closed(this);
        }
    }

    private void detachAll() {
        executions.values().forEach(InMemoryExecution::detach);
        fileOperations.forEach(operation -> operation.signal(SIGTERM));
    }

    private void handle(Frame frame) {
        int request = frame.request();
        PayloadReader in = new PayloadReader("frame", frame.payload());
        try {
            switch (frame.type()) {
                case Frame.RESET -> {
                    detachAll();
                    executions.clear();
                    sendNow(GuestFrames.resetAck(in.u64()));
                    guest.greet(this);
                }
                case Frame.PING -> sendNow(GuestFrames.pong(request, bytes(in)));
                case Frame.CONFIGURE -> whole(frame).ifPresent(payload -> configure(request, payload));
                case Frame.EXEC -> whole(frame).ifPresent(payload -> exec(request, payload));
                case Frame.FILE -> file(request, in);
                case Frame.STDIN -> execution(frame).ifPresent(execution -> execution.arrived(in.rest()));
                case Frame.STDIN_EOF -> execution(frame).ifPresent(InMemoryExecution::stdinEnds);
                case Frame.CREDIT -> {
                    boolean error = in.u32(1, 2) == 2;
                    int bytes = in.u32(0, Integer.MAX_VALUE);
                    execution(frame)
                            .ifPresent(execution -> execution.granted(error, Math.min(bytes, Frame.MAX_CREDIT)));
                }
                case Frame.SIGNAL -> signal(frame, in.u32(1, 64));
                case Frame.SHUTDOWN -> {
                    in.u32();
                    sendNow(GuestFrames.done(request));
                    guest.shutdown();
                }
                default -> sendNow(GuestFrames.failed(request, GuestFailure.UNSUPPORTED, "an unknown frame"));
            }
        } catch (GuestProtocolException bad) {
            if (request != 0) {
                sendNow(GuestFrames.failed(request, GuestFailure.BAD_REQUEST, "a malformed frame"));
            }
        }
    }

    private Optional<PayloadReader> whole(Frame frame) {
        message.writeBytes(bytes(new PayloadReader("frame", frame.payload())));
        if (frame.more() && message.size() <= FrameEncoder.MAX_MESSAGE) {
            return Optional.empty();
        }
        ByteBuffer payload = FrameEncoder.allocate(message.size()).put(message.toByteArray());
        message.reset();
        return Optional.of(new PayloadReader("message", payload.flip()));
    }

    private void configure(int request, PayloadReader in) {
        Optional<String> hostname = Optional.empty();
        while (in.rest().hasRemaining()) {
            int tag = in.u32();
            String value = text(in);
            if (tag < 1 || tag > 4) {
                sendNow(GuestFrames.failed(request, GuestFailure.UNSUPPORTED, "an unknown tag"));
                return;
            }
            hostname = tag == 1 ? Optional.of(value) : hostname;
        }
        hostname.ifPresent(guest::rename);
        sendNow(GuestFrames.done(request));
    }

    private void exec(int request, PayloadReader in) {
        int flags = in.u32(0, 7);
        int window = in.u32(1, Frame.MAX_CREDIT);
        List<String> arguments = texts(in, in.u32(1, 65_536));
        Map<String, String> environment = new HashMap<>();
        for (String variable : texts(in, in.u32(0, 65_536))) {
            int equals = variable.indexOf('=');
            environment.put(variable.substring(0, equals), variable.substring(equals + 1));
        }
        InMemoryGuest.Command command = new InMemoryGuest.Command(
                request,
                (flags & 1) != 0,
                (flags & 2) != 0,
                (flags & 4) != 0,
                window,
                arguments,
                environment,
                text(in),
                text(in));
        in.end();
        guest.spawn(this, command).ifPresent(execution -> run(request, execution));
    }

    private void file(int request, PayloadReader in) {
        InMemoryFileOperation.of(guest.tree(), FileRequest.parse(in))
                .start(this, guest.nextId(), request)
                .ifPresent(execution -> {
                    fileOperations.add(execution);
                    var _ = execution.ended().thenAccept(status -> fileOperations.remove(execution));
                    run(request, execution);
                });
    }

    private void run(int request, InMemoryExecution execution) {
        executions.put(execution.id(), execution);
        sendNow(GuestFrames.started(request, execution.id(), execution.id(), InMemoryExecution.STDIN_WINDOW));
        execution.start();
        var _ = execution.ended().thenAccept(status -> executions.remove(execution.id()));
    }

    private void signal(Frame frame, int number) {
        Optional<InMemoryExecution> execution = execution(frame);
        execution.ifPresent(target -> target.signal(number));
        sendNow(
                execution.isPresent()
                        ? GuestFrames.done(frame.request())
                        : GuestFrames.failed(frame.request(), GuestFailure.NO_SUCH_EXECUTION, "it has ended"));
    }

    private Optional<InMemoryExecution> execution(Frame frame) {
        return Optional.ofNullable(executions.get(frame.stream()));
    }

    private static List<String> texts(PayloadReader in, int count) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(text(in));
        }
        return List.copyOf(texts);
    }

    private static String text(PayloadReader in) {
        return new String(in.text(FrameEncoder.MAX_MESSAGE), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(PayloadReader in) {
        byte[] bytes = new byte[in.rest().remaining()];
        in.rest().get(bytes);
        return bytes;
    }
}
