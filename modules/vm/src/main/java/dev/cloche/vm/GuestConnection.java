package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a guest's agent: the host's side of docs/guest-protocol.md.
 *
 * <p>One thread reads and hands over, without ever waiting for a consumer; one writes. Both are platform threads: a round
 * trip over a Unix socket costs them a third of what it costs virtual ones.
 */
final class GuestConnection implements Guest, FrameSink, AutoCloseable {
    /** How much output of each stream may wait on the host. */
    static final int WINDOW = 256 * 1024;

    static final int PROTOCOL_VERSION = 1;
    private static final int MAX_UNANSWERED = 1024;
    private static final int SIGKILL = 9;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final String name;
    private final ByteChannel channel;
    private final Outbox outbox;
    private final long nonce = RANDOM.nextLong();
    private final AtomicInteger requests = new AtomicInteger();
    private final ConcurrentHashMap<Integer, Pending> unanswered = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Integer, ChannelExecution> executions = new ConcurrentHashMap<>();
    private final CompletableFuture<GuestHello> hello = new CompletableFuture<>();
    private final CompletableFuture<Goodbye> goodbye = new CompletableFuture<>();
    /** Why the connection is closed, once it is. The first reason counts. */
    private final AtomicReference<Optional<VmException>> closed = new AtomicReference<>(Optional.empty());

    private GuestConnection(String name, ByteChannel channel) {
        this.name = name;
        this.channel = channel;
        outbox = new Outbox(channel);
    }

    /**
     * Begins a conversation on a connected channel, which belongs to the connection from here on. Does not wait: the
     * guest may not even run yet.
     */
    static GuestConnection open(String name, ByteChannel channel) {
        GuestConnection connection = new GuestConnection(name, channel);
        connection.sendNow(FrameEncoder.opening(connection.nonce));
        Thread.ofPlatform().daemon().name("cloche-read-" + name).start(connection::readAll);
        Thread.ofPlatform().daemon().name("cloche-write-" + name).start(connection::writeAll);
        return connection;
    }

    /** Completes when the guest is ready, exceptionally if the connection is lost before. */
    CompletableFuture<GuestHello> ready() {
        return hello;
    }

    /** The guest's last words; exceptionally completed if the connection is lost without. */
    CompletableFuture<Goodbye> goodbye() {
        return goodbye;
    }

    @Override
    public GuestHello hello() {
        return Waiting.on(hello, Deadline.after(Duration.ZERO), "the guest's hello");
    }

    @Override
    public void ping(Deadline deadline) {
        long value = RANDOM.nextLong();
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        int request = register(new Pending.Ping(answer, value));
        ask(HostFrames.ping(request, value), answer, deadline, "the answer to a ping");
    }

    @Override
    public void configure(GuestIdentity identity, Deadline deadline) {
        demand(request -> HostFrames.configure(request, identity), deadline, "the guest's new identity");
    }

    @Override
    public GuestExecution exec(ExecRequest request, Deadline deadline) {
        String what = "the start of " + request.arguments().getFirst();
        return start(id -> HostFrames.exec(id, request, WINDOW), request.stdin(), what, deadline);
    }

    @Override
    public GuestFiles files() {
        return new ChannelFiles(this, "");
    }

    /** Starts a file operation. */
    ChannelExecution file(FileRequest request, Deadline deadline) {
        IntFunction<ByteBuffer> frame = id -> FrameEncoder.frame(Frame.FILE, 0, id, request.payload(WINDOW));
        return start(frame, request.hasInput(), "the start of a file operation", deadline);
    }

    private ChannelExecution start(IntFunction<ByteBuffer> frame, boolean stdin, String what, Deadline deadline) {
        CompletableFuture<ChannelExecution> answer = new CompletableFuture<>();
        int id = register(new Pending.Exec(answer, started -> register(started, stdin), this::abandon));
        try {
            return ask(frame.apply(id), answer, deadline, what);
        } catch (VmDeadlineException | VmInterruptedException gaveUp) {
            // Who completes the answer first decides: if this is too late, the program has started just now.
            if (!answer.completeExceptionally(gaveUp) && !answer.isCompletedExceptionally()) {
                abandon(answer.join());
            }
            throw gaveUp;
        }
    }

    void signal(int execution, int signal, Deadline deadline) {
        demand(request -> HostFrames.signal(execution, request, signal), deadline, "the delivery of a signal");
    }

    /** Asks the guest to end; returns when it has said that it will. */
    void shutdown(Duration grace, Deadline deadline) {
        int millis = Math.clamp(grace.toMillis(), 0, Integer.MAX_VALUE);
        demand(request -> HostFrames.shutdown(request, millis), deadline, "the guest's shutdown");
    }

    @Override
    public void sendNow(ByteBuffer frame) {
        if (!outbox.offer(frame)) {
            // Callers may hold locks of streams, so the reading thread reports it, which holds none.
            closed.compareAndSet(
                    Optional.empty(), Optional.of(new GuestProtocolException("it does not read what it is sent")));
            closeChannel();
        }
    }

    @Override
    public void sendPatiently(ByteBuffer frame) throws InterruptedIOException {
        if (!outbox.put(frame, Deadline.none())) {
            throw closed.get().orElseGet(() -> lost(null));
        }
    }

    @Override
    public void close() {
        fail(new GuestConnectionLostException("The connection to VM " + name + " was closed", null));
    }

    private void send(ByteBuffer frame, Deadline deadline) {
        try {
            if (!outbox.put(frame, deadline)) {
                throw closed.get().orElseGet(() -> lost(null));
            }
        } catch (InterruptedIOException e) {
            throw Waiting.interrupted("sending to VM " + name);
        }
    }

    private void demand(IntFunction<ByteBuffer> frame, Deadline deadline, String what) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        ask(frame.apply(register(new Pending.Deed(answer))), answer, deadline, what);
    }

    private <T> T ask(ByteBuffer frame, CompletableFuture<T> answer, Deadline deadline, String what) {
        send(frame, deadline);
        return Waiting.on(answer, deadline, what);
    }

    /** An unanswered request stays registered when its caller gives up, because its answer is still to come. */
    private int register(Pending pending) {
        if (unanswered.size() >= MAX_UNANSWERED) {
            throw new VmBusyException(
                    "VM " + name + " leaves " + MAX_UNANSWERED + " requests unanswered",
                    "Look at what the guest is doing.");
        }
        int request;
        do {
            request = requests.incrementAndGet();
        } while (request == 0 || unanswered.putIfAbsent(request, pending) != null);
        closed.get().ifPresent(cause -> pending.answer().completeExceptionally(cause));
        return request;
    }

    private ChannelExecution register(GuestMessage.Started started, boolean wantsStdin) {
        ChannelExecution execution = new ChannelExecution(this, started, wantsStdin);
        if (executions.putIfAbsent(execution.id(), execution) != null) {
            throw new GuestProtocolException("an execution has the id of another");
        }
        closed.get().ifPresent(execution::fail);
        return execution;
    }

    void abandon(ChannelExecution execution) {
        execution.close();
        int request = register(new Pending.Deed(new CompletableFuture<>()));
        sendNow(HostFrames.signal(execution.id(), request, SIGKILL));
    }

    private void writeAll() {
        try {
            outbox.drain();
        } catch (IOException e) {
            // The reading thread meets the same end, and reports it with what the guest said before.
            closeIfUnreadable(e);
        }
    }

    private void closeIfUnreadable(IOException cause) {
        closed.compareAndSet(Optional.empty(), Optional.of(lost(cause)));
        closeChannel();
    }

    private void readAll() {
        // Parsing what comes before would be wrong: it may begin inside of an old frame, whose payload may look like a
        // header that swallows the acknowledgement. Only the nonce cannot be forged.
        byte[] ack = GuestFrames.resetAck(nonce).array();
        FrameDecoder decoder = new FrameDecoder();
        decoder.becomeStrict();
        boolean acknowledged = false;
        try {
            while (channel.read(decoder.space()) >= 0) {
                decoder.filled();
                acknowledged = acknowledged || decoder.skipPast(ack);
                Optional<Frame> frame = acknowledged ? decoder.next() : Optional.empty();
                while (frame.isPresent()) {
                    handle(GuestMessage.parse(frame.get()));
                    frame = decoder.next();
                }
            }
            fail(lost(null));
        } catch (IOException e) {
            fail(lost(e));
        } catch (VmException e) {
            // Of the guest's frames, or of a guest that leaves so much unanswered that not even a kill can be asked
            // for.
            fail(e);
        }
    }

    private void handle(GuestMessage message) {
        switch (message) {
            case GuestMessage.Hello(GuestHello words) -> greet(words);
            case GuestMessage.Answer answer -> answered(answer);
            case GuestMessage.Output output -> execution(output.execution()).arrived(output);
            case GuestMessage.Ended(int id, ExitStatus status) -> {
                execution(id).ended(status);
                executions.remove(id);
            }
            // May cross the end of its execution in the guest.
            case GuestMessage.StdinCredit(int id, int bytes) ->
                Optional.ofNullable(executions.get(id)).ifPresent(execution -> execution.granted(bytes));
            case GuestMessage.LastWords(Goodbye words) -> goodbye.complete(words);
            case GuestMessage.ResetAck(long other) -> throw new GuestProtocolException("it acknowledges a reset twice");
        }
    }

    private void greet(GuestHello words) {
        if (words.protocolVersion() != PROTOCOL_VERSION) {
            throw new GuestProtocolException("its version is " + Integer.toUnsignedString(words.protocolVersion())
                    + ", and this Cloche speaks version " + PROTOCOL_VERSION);
        }
        if (!hello.complete(words)) {
            throw new GuestProtocolException("it says hello twice");
        }
    }

    private void answered(GuestMessage.Answer answer) {
        Pending pending = unanswered.remove(answer.request());
        if (pending == null) {
            throw new GuestProtocolException("it answers what was not asked");
        }
        pending.answered(answer);
    }

    private ChannelExecution execution(int id) {
        ChannelExecution execution = executions.get(id);
        if (execution == null) {
            throw new GuestProtocolException("it speaks of an execution that does not run");
        }
        return execution;
    }

    private GuestConnectionLostException lost(@Nullable IOException cause) {
        return new GuestConnectionLostException("The connection to VM " + name + " is lost", cause);
    }

    private void fail(VmException cause) {
        closed.compareAndSet(Optional.empty(), Optional.of(cause));
        VmException reason = closed.get().orElse(cause);
        outbox.close();
        closeChannel();
        hello.completeExceptionally(reason);
        goodbye.completeExceptionally(reason);
        unanswered.values().forEach(pending -> pending.answer().completeExceptionally(reason));
        executions.values().forEach(execution -> execution.fail(reason));
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException e) {
            System.getLogger(GuestConnection.class.getName()).log(System.Logger.Level.DEBUG, "closing " + name, e);
        }
    }
}
