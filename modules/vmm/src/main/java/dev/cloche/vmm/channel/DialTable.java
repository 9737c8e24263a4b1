package dev.cloche.vmm.channel;

import dev.cloche.base.Deadline;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.protocol.GuestMessage;
import dev.cloche.vmm.protocol.HostFrames;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The streams into the guest that were dialed by one connection. Each stays known until the guest has said its last word on it. */
final class DialTable {
    private final FrameChannel channel;
    private final ConcurrentHashMap<Integer, ChannelStream> streams = new ConcurrentHashMap<>();

    DialTable(FrameChannel channel) {
        this.channel = channel;
    }

    ChannelStream dial(DialRequest request, Deadline deadline) {
        CompletableFuture<ChannelStream> answer = new CompletableFuture<>();
        Consumer<ChannelStream> abandon = ChannelStream::abort;
        int id = channel.pending()
                .add(new PendingRequest.Start<>(
                        answer, started -> register(new ChannelStream(channel, started, request.target())), abandon));
        try {
            return channel.begin(
                    HostFrames.dial(id, request, ChannelStream.WINDOW),
                    answer,
                    abandon,
                    deadline,
                    "a connection to " + request.target() + " of the guest");
        } catch (GuestException.Refused refused) {
            throw refused.failure() == GuestFailure.UNSUPPORTED
                    ? new GuestException.OlderAgent("connections into the guest")
                    : refused;
        }
    }

    private ChannelStream register(ChannelStream stream) {
        if (stream.id() >= 0 || streams.putIfAbsent(stream.id(), stream) != null) {
            throw new GuestException.ProtocolBroken("a connection has the id of something else");
        }
        channel.pending().closed().ifPresent(stream::fail);
        return stream;
    }

    /**
     * Takes what the guest says of a stream.
     *
     * @throws GuestException.ProtocolBroken if it may not say that
     */
    void heard(GuestMessage.OfExecution event) {
        ChannelStream stream = Optional.ofNullable(streams.get(event.execution()))
                .orElseThrow(() -> new GuestException.ProtocolBroken("it speaks of a connection that is not open"));
        switch (event) {
            case GuestMessage.Written written -> stream.arrived(written);
            case GuestMessage.StdinCredit credit -> stream.granted(credit.bytes());
            case GuestMessage.OutputEnded ended -> stream.outputEnded();
            case GuestMessage.Ended ended -> {
                streams.remove(stream.id());
                stream.ended();
            }
            case GuestMessage.ResetByGuest reset -> {
                streams.remove(stream.id());
                stream.fail(new GuestException.ConnectionReset(stream.target()));
            }
            case GuestMessage.Detached detached ->
                throw new GuestException.ProtocolBroken("it lets a connection be taken over");
        }
    }

    void fail(VmException reason) {
        streams.values().forEach(stream -> stream.fail(reason));
    }
}
