package dev.cloche.vmm.channel;

import dev.cloche.base.Deadline;
import dev.cloche.base.ReusedThreads;
import dev.cloche.vm.ChannelTraffic;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.VmWaits;
import dev.cloche.vmm.protocol.Frame;
import dev.cloche.vmm.protocol.FrameDecoder;
import dev.cloche.vmm.protocol.GuestFrames;
import dev.cloche.vmm.protocol.GuestMessage;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Carries frames and answers to and from one guest: opens the channel, sends requests, and ends them all when it breaks.
 *
 * <p>One thread reads and hands over, without ever waiting for a consumer; one writes. Both are platform threads: a round
 * trip over a Unix socket costs them a third of what it costs virtual ones.
 */
final class FrameChannel implements FrameSink {
    private static final SecureRandom RANDOM = new SecureRandom();

    private final String name;
    private final ByteChannel channel;
    private final Listener listener;
    private final VmWaits.Hindered vm;
    private final FrameOutbox outbox;
    private final long nonce = RANDOM.nextLong();
    private final PendingRequests pending;

    /** Hears what the guest says, on the reading thread. */
    interface Listener {
        /**
         * A message that is no answer to a request.
         *
         * @throws GuestException.ProtocolBroken if the guest may not say that
         */
        void said(GuestMessage message);

        /** No more comes. */
        void ended(VmException reason);
    }

    /**
     * @param channel belongs to this line from here on
     * @param vm is asked while an answer does not come
     */
    FrameChannel(String name, ByteChannel channel, Listener listener, VmWaits.Hindered vm) {
        this.name = name;
        this.channel = new CountedChannel(channel, ChannelTraffic.ofThisProcess());
        this.listener = listener;
        this.vm = vm;
        outbox = new FrameOutbox(this.channel);
        pending = new PendingRequests(name);
    }

    /** @param opening makes of a nonce what is sent first */
    void open(LongFunction<ByteBuffer> opening) {
        sendNow(opening.apply(nonce));
        ReusedThreads.start("cloche-read-" + name, this::readAll);
        ReusedThreads.start("cloche-write-" + name, this::writeAll);
    }

    PendingRequests pending() {
        return pending;
    }

    /** Sends a frame, and waits only while the guest does not read. */
    void send(ByteBuffer frame, Deadline deadline) {
        try {
            if (!outbox.put(frame, deadline)) {
                throw closed();
            }
        } catch (InterruptedIOException e) {
            throw VmWaits.interrupted("sending to VM " + name);
        }
    }

    /** Sends a request that has been registered, and waits for its answer. */
    <T> T ask(ByteBuffer frame, CompletableFuture<T> answer, Deadline deadline, String what) {
        send(frame, deadline);
        return await(answer, deadline, what);
    }

    /**
     * Sends a registered request that begins something, and waits for its answer.
     *
     * @param abandon ends what has begun, and has no waiter any more
     */
    <T> T begin(ByteBuffer frame, CompletableFuture<T> answer, Consumer<T> abandon, Deadline deadline, String what) {
        try {
            return ask(frame, answer, deadline, what);
        } catch (VmException.Deadline | VmException.Interrupted | VmException.Hindered gaveUp) {
            // Who completes the answer first decides: if this is too late, it has begun just now.
            if (!answer.completeExceptionally(gaveUp) && !answer.isCompletedExceptionally()) {
                abandon.accept(answer.join());
            }
            throw gaveUp;
        }
    }

    /**
     * Waits for an answer.
     *
     * @throws VmException.Hindered if it does not come, and something is known to hinder the VM
     */
    <T> T await(CompletableFuture<T> answer, Deadline deadline, String what) {
        return VmWaits.on(answer, deadline, what, vm);
    }

    /** Has something done. */
    void demand(IntFunction<ByteBuffer> frame, Deadline deadline, String what) {
        await(demanded(frame, deadline), deadline, what);
    }

    /** Sends a demand, and completes when it is done. */
    CompletableFuture<Boolean> demanded(IntFunction<ByteBuffer> frame, Deadline deadline) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        send(frame.apply(pending.add(new PendingRequest.Deed(answer))), deadline);
        return answer;
    }

    <T extends GuestMessage.Answer> T question(
            Class<T> kind, IntFunction<ByteBuffer> frame, Deadline deadline, String what) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        int request = pending.add(new PendingRequest.Question<>(answer, kind));
        return ask(frame.apply(request), answer, deadline, what);
    }

    /** Has something done without waiting for it. */
    void cleanUp(CompletableFuture<Boolean> answer, IntFunction<ByteBuffer> frame) {
        try {
            sendNow(frame.apply(pending.addCleanUp(new PendingRequest.Deed(answer))));
        } catch (VmException.Busy owesAnswers) {
            giveUp(new GuestException.ProtocolBroken("it answers nothing"));
        }
    }

    @Override
    public void sendNow(ByteBuffer frame) {
        if (!outbox.offer(frame)) {
            giveUp(new GuestException.ProtocolBroken("it does not read what it is sent"));
        }
    }

    @Override
    public void sendPatiently(ByteBuffer frame, BooleanSupplier wanted) throws InterruptedIOException {
        if (!outbox.put(frame, wanted, Deadline.none())) {
            throw closed();
        }
    }

    /** Callers may hold locks of streams, so the reading thread reports it, which holds none. */
    private void giveUp(VmException cause) {
        pending.closing(cause);
        closeChannel();
    }

    /** Ends everything that waits. */
    void fail(VmException cause) {
        pending.closing(cause);
        outbox.close();
        closeChannel();
        listener.ended(pending.fail(cause));
    }

    private void writeAll() {
        try {
            outbox.drain();
        } catch (IOException e) {
            // The reading thread meets the same end, and reports it with what the guest said before.
            giveUp(lost(e));
        }
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
                    heard(GuestMessage.parse(frame.get()));
                    frame = decoder.next();
                }
            }
            fail(lost(null));
        } catch (IOException e) {
            fail(lost(e));
        } catch (VmException e) {
            fail(e);
        }
    }

    private void heard(GuestMessage message) {
        if (message instanceof GuestMessage.Answer answer) {
            pending.answered(answer);
        } else {
            listener.said(message);
        }
    }

    private VmException closed() {
        return pending.closed().orElseGet(() -> lost(null));
    }

    private GuestException.ConnectionLost lost(@Nullable IOException cause) {
        return new GuestException.ConnectionLost("The connection to VM " + name + " is lost", cause);
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException e) {
            System.getLogger(FrameChannel.class.getName()).log(System.Logger.Level.DEBUG, "closing " + name, e);
        }
    }
}
