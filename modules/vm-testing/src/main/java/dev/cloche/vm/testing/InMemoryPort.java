package dev.cloche.vm.testing;

import dev.cloche.base.Deadline;
import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.Output;
import dev.cloche.vm.TerminalSize;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.channel.FrameOutbox;
import dev.cloche.vmm.channel.FrameSink;
import dev.cloche.vmm.protocol.FileRequest;
import dev.cloche.vmm.protocol.Frame;
import dev.cloche.vmm.protocol.FrameDecoder;
import dev.cloche.vmm.protocol.FrameEncoder;
import dev.cloche.vmm.protocol.GuestFrames;
import dev.cloche.vmm.protocol.HostRequests;
import dev.cloche.vmm.protocol.PayloadReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** One connection of an in-memory guest: the agent's side of docs/guest-protocol.md. */
final class InMemoryPort implements FrameSink {

    private final InMemoryGuest guest;
    private final ByteChannel channel;
    private final FrameOutbox outbox;
    private final ByteArrayOutputStream message = new ByteArrayOutputStream();

    InMemoryPort(InMemoryGuest guest, ByteChannel channel) {
        this.guest = guest;
        this.channel = channel;
        outbox = new FrameOutbox(channel);
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
    public void sendPatiently(ByteBuffer frame, BooleanSupplier wanted) throws IOException {
        if (!outbox.put(frame, wanted, Deadline.none())) {
            throw new GuestException.ConnectionLost("the host is gone", null);
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
            System.getLogger(InMemoryPort.class.getName()).log(System.Logger.Level.TRACE, "host gone", hostIsGone);
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
                    guest.pause().awaitRunning();
                    handle(frame.get());
                    frame = decoder.next();
                }
            }
        } catch (IOException hostIsGone) {
            System.getLogger(InMemoryPort.class.getName()).log(System.Logger.Level.TRACE, "host gone", hostIsGone);
        } finally {
            cut();
            guest.closed(this);
        }
    }

    private void handle(Frame frame) {
        int request = frame.request();
        PayloadReader in = new PayloadReader("frame", frame.payload());
        try {
            switch (frame.type()) {
                case Frame.RESET -> {
                    guest.executions().detach(this);
                    sendNow(GuestFrames.resetAck(in.u64()));
                    guest.greet(this);
                }
                case Frame.PING -> sendNow(GuestFrames.pong(request, bytes(in)));
                case Frame.CONFIGURE -> whole(frame).ifPresent(payload -> configure(request, payload));
                case Frame.EXEC -> whole(frame).ifPresent(payload -> exec(request, payload));
                case Frame.FILE -> guest.file(this, request, FileRequest.parse(in));
                case Frame.LIST -> sendNow(guest.executions().list(request, in.u32()));
                case Frame.METRICS -> sendNow(GuestFrames.measured(request, guest.metrics()));
                // Its writable layer is in memory: there is nothing to flush or to hold back.
                case Frame.FREEZE -> {
                    in.u32(1, 600_000);
                    sendNow(GuestFrames.done(request));
                }
                case Frame.GROW -> {
                    in.u64();
                    sendNow(GuestFrames.done(request));
                }
                case Frame.THAW -> sendNow(GuestFrames.done(request));
                case Frame.AWAIT_INIT -> {
                    if (guest.executions().hasInit()) {
                        sendNow(GuestFrames.done(request));
                    } else {
                        sendNow(GuestFrames.failed(request, GuestFailure.BAD_REQUEST, "there is no init"));
                    }
                }
                case Frame.QUIESCE -> {
                    if (guest.quiesce()) {
                        sendNow(GuestFrames.done(request));
                    }
                }
                case Frame.SHUTDOWN -> {
                    in.u32();
                    sendNow(GuestFrames.done(request));
                    guest.shutdown();
                }
                default -> handleOfExecution(frame, in);
            }
        } catch (GuestException.ProtocolBroken | VmException.Invalid bad) {
            if (request != 0) {
                sendNow(GuestFrames.failed(request, GuestFailure.BAD_REQUEST, "a malformed frame"));
            }
        }
    }

    private void handleOfExecution(Frame frame, PayloadReader in) {
        int request = frame.request();
        Optional<InMemoryExecution> execution = guest.executions().find(frame.stream());
        switch (frame.type()) {
            case Frame.STDIN -> execution.ifPresent(known -> known.arrived(this, in.rest()));
            case Frame.STDIN_EOF -> execution.ifPresent(known -> known.stdinEnds(this));
            case Frame.CREDIT -> {
                Output output = output(in);
                int bytes = Math.min(Frame.MAX_CREDIT, in.u32(0, Integer.MAX_VALUE));
                execution.ifPresent(known -> known.granted(this, output, bytes));
            }
            case Frame.ACKNOWLEDGE -> {
                Output output = output(in);
                long offset = in.u63();
                execution.ifPresent(known -> known.acknowledge(this, output, offset));
            }
            case Frame.SIGNAL -> {
                int number = in.u32(1, 64);
                boolean delivered = execution.isPresent() && execution.get().signal(number);
                answer(request, delivered ? Optional.empty() : Optional.of(GuestFailure.NO_SUCH_EXECUTION));
            }
            case Frame.RESIZE -> {
                TerminalSize size = new TerminalSize(in.u32(), in.u32());
                answer(
                        request,
                        execution.isEmpty()
                                ? Optional.of(GuestFailure.NO_SUCH_EXECUTION)
                                : Optional.of(GuestFailure.BAD_REQUEST)
                                        .filter(refused -> !execution.get().resize(size)));
            }
            case Frame.ATTACH -> {
                int credit = in.u32(0, Frame.MAX_CREDIT);
                AttachPoint from = new AttachPoint(in.u63(), in.u63());
                Optional<InMemoryExecution> lasting = guest.executions().findLasting(frame.stream());
                Optional<GuestFailure> failure = lasting.isEmpty()
                        ? Optional.of(GuestFailure.NO_SUCH_EXECUTION)
                        : lasting.get().attach(this, request, credit, from);
                failure.ifPresent(why -> answer(request, Optional.of(why)));
            }
            case Frame.DETACH -> {
                execution.ifPresent(known -> guest.executions().detach(known, this));
                answer(request, Optional.empty());
            }
            case Frame.RELEASE -> answer(request, guest.executions().release(frame.stream()));
            default -> answer(request, Optional.of(GuestFailure.UNSUPPORTED));
        }
    }

    private void answer(int request, Optional<GuestFailure> failure) {
        sendNow(failure.map(why -> GuestFrames.failed(request, why, "it cannot be done"))
                .orElseGet(() -> GuestFrames.done(request)));
    }

    private static Output output(PayloadReader in) {
        return in.u32(1, 2) == 1 ? Output.STDOUT : Output.STDERR;
    }

    private Optional<PayloadReader> whole(Frame frame) {
        message.writeBytes(bytes(new PayloadReader("frame", frame.payload())));
        if (frame.more() && message.size() <= FrameEncoder.MAX_MESSAGE) {
            return Optional.empty();
        }
        ByteBuffer payload = FrameEncoder.wrap(message.toByteArray());
        message.reset();
        return Optional.of(new PayloadReader("message", payload));
    }

    private void configure(int request, PayloadReader in) {
        try {
            answer(request, guest.configure(HostRequests.identity(in)));
        } catch (HostRequests.Refused refused) {
            answer(request, Optional.of(refused.failure()));
        }
    }

    private void exec(int request, PayloadReader in) {
        try {
            guest.spawn(this, request, HostRequests.exec(in));
        } catch (HostRequests.Refused refused) {
            answer(request, Optional.of(refused.failure()));
        }
    }

    private static byte[] bytes(PayloadReader in) {
        byte[] bytes = new byte[in.rest().remaining()];
        in.rest().get(bytes);
        return bytes;
    }
}
