package dev.cloche.vmm.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.GuestException;
import dev.cloche.vm.Output;
import dev.cloche.vmm.protocol.Frame;
import dev.cloche.vmm.protocol.FrameDecoder;
import dev.cloche.vmm.protocol.GuestMessage;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What a guest may say of a stream that was dialed, and what breaks the protocol. */
class HostileStreamTest {
    private static final int ID = Integer.MIN_VALUE + 1;

    private final List<Frame> sent = new ArrayList<>();
    private final ChannelStream stream =
            new ChannelStream(new Sent(), new GuestMessage.Started(1, ID, 0, 100), "port 80");

    /** Keeps what goes to the guest. */
    private final class Sent implements FrameSink {
        @Override
        public void sendNow(ByteBuffer frame) {
            FrameDecoder decoder = new FrameDecoder();
            decoder.becomeStrict();
            decoder.space().put(frame);
            decoder.filled();
            sent.add(decoder.next().orElseThrow());
        }

        @Override
        public void sendPatiently(ByteBuffer frame, BooleanSupplier wanted) {
            sendNow(frame);
        }
    }

    private static GuestMessage.Written piece(Output output, long offset, int length) {
        return new GuestMessage.Written(ID, output, offset, ByteBuffer.allocate(length));
    }

    private List<Integer> typesSent() {
        return sent.stream().map(Frame::type).toList();
    }

    @Test
    void whatIsNotTheNextByteOrBeyondTheCreditBreaksTheProtocol() {
        stream.arrived(piece(Output.STDOUT, 0, 1000));
        for (GuestMessage.Written wrong : List.of(
                piece(Output.STDOUT, 999, 1),
                piece(Output.STDOUT, 1001, 1),
                piece(Output.STDOUT, 1000, ChannelStream.WINDOW),
                piece(Output.STDERR, 0, 1))) {
            assertThatThrownBy(() -> stream.arrived(wrong)).isInstanceOf(GuestException.ProtocolBroken.class);
        }
    }

    @Test
    void nothingComesAfterTheGuestHasEndedItsSide() throws IOException {
        stream.arrived(piece(Output.STDOUT, 0, 3));
        stream.outputEnded();
        assertThat(Channels.newInputStream(stream).readAllBytes()).hasSize(3);
        assertThatThrownBy(() -> stream.arrived(piece(Output.STDOUT, 3, 1)))
                .isInstanceOf(GuestException.ProtocolBroken.class);
        assertThatThrownBy(stream::outputEnded).isInstanceOf(GuestException.ProtocolBroken.class);
    }

    @Test
    void aStreamEndsInOrderOnlyAfterBothSides() {
        assertThatThrownBy(stream::ended).isInstanceOf(GuestException.ProtocolBroken.class);
        stream.outputEnded();
        assertThatThrownBy(stream::ended).isInstanceOf(GuestException.ProtocolBroken.class);
        stream.shutdownOutput();
        stream.ended();
        stream.close();
        assertThat(typesSent()).containsExactly(Frame.STDIN_EOF);
    }

    @Test
    void aClosedStreamIsHungUpOnceAndTakesWhatIsOnItsWay() throws IOException {
        stream.write(ByteBuffer.allocate(10));
        stream.close();
        stream.close();
        stream.abort();
        stream.arrived(piece(Output.STDOUT, 0, ChannelStream.WINDOW));
        stream.outputEnded();
        stream.ended();
        assertThat(typesSent()).containsExactly(Frame.STDIN, Frame.HANG_UP);
        assertThat(stream.isOpen()).isFalse();
    }

    @Test
    void aResetIsReadAfterWhatCameBefore() throws IOException {
        stream.arrived(piece(Output.STDOUT, 0, 3));
        stream.fail(new GuestException.ConnectionReset("port 80"));
        assertThat(stream.read(ByteBuffer.allocate(10))).isEqualTo(3);
        assertThatThrownBy(() -> stream.read(ByteBuffer.allocate(10)))
                .isInstanceOf(SocketException.class)
                .hasMessage("The guest has reset the connection to port 80");
        assertThatThrownBy(() -> stream.write(ByteBuffer.allocate(1))).isInstanceOf(SocketException.class);
    }
}
