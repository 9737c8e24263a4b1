package dev.cloche.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A guest that owns its VM sends frames that are sound as frames and mean whatever it likes. */
class HostileGuestTest {
    private static final int OPENING = 65_540 + Frame.HEADER + Long.BYTES + Frame.SEAL;

    /** The connection survives or ends with one of our errors: its reading thread never dies with callers waiting. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void whateverFramesMeanTheConnectionEndsInOrder(long seed) throws Exception {
        Random random = new Random(seed);
        for (int round = 0; round < 100; round++) {
            PipeChannel.Pair ends = PipeChannel.Pair.open();
            try (GuestConnection connection = GuestConnection.open("hostile", ends.host())) {
                try (PipeChannel guest = ends.guest()) {
                    greet(guest);
                    var _ = connection.ready().get(1, TimeUnit.MINUTES);
                    send(guest, randomFrame(random));
                }
                assertThat(connection.goodbye().handle((words, failure) -> true).get(1, TimeUnit.MINUTES))
                        .isTrue();
                assertThatThrownBy(() -> connection.exec(ExecRequest.of("x"), Deadline.after(Duration.ofMinutes(1))))
                        .isInstanceOf(VmException.class);
            }
        }
    }

    @Test
    void anExecutionThatWasNotAskedForIsABrokenProtocol() throws Exception {
        PipeChannel.Pair ends = PipeChannel.Pair.open();
        try (PipeChannel guest = ends.guest();
                GuestConnection connection = GuestConnection.open("hostile", ends.host())) {
            greet(guest);
            send(guest, GuestFrames.started(7, 1, 4711, 0));
            assertThatThrownBy(() -> connection.goodbye().get(1, TimeUnit.MINUTES))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(GuestProtocolException.class);
        }
    }

    private static void greet(PipeChannel guest) throws IOException {
        ByteBuffer opening = ByteBuffer.allocate(OPENING).order(ByteOrder.LITTLE_ENDIAN);
        while (opening.hasRemaining()) {
            assertThat(guest.read(opening)).isPositive();
        }
        long nonce = opening.getLong(OPENING - Frame.SEAL - Long.BYTES);
        send(guest, GuestFrames.resetAck(nonce));
        send(guest, GuestFrames.hello(1, Duration.ZERO, Duration.ZERO, "hostile"));
    }

    private static ByteBuffer randomFrame(Random random) {
        byte[] payload = new byte[random.nextInt(24)];
        random.nextBytes(payload);
        if (random.nextBoolean()) {
            // Small numbers, which look like lengths and codes.
            for (int i = 0; i < payload.length; i++) {
                payload[i] = (byte) (i % 4 == 0 ? random.nextInt(4) : 0);
            }
        }
        return FrameEncoder.frame(0x80 + random.nextInt(14), random.nextInt(3), random.nextInt(3), payload);
    }

    private static void send(PipeChannel guest, ByteBuffer frame) throws IOException {
        while (frame.hasRemaining()) {
            guest.write(frame);
        }
    }
}
