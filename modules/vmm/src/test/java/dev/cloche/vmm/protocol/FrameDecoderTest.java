package dev.cloche.vmm.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Goodbye;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.Output;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameDecoderTest {
    /** A decoded frame whose payload outlives the decoder's buffer. */
    private record Kept(int type, boolean more, int stream, int request, List<Byte> payload) {}

    @Test
    void framesCutAnywhereArriveWhole() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            List<Kept> sent = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                sent.add(write(random, bytes));
            }
            assertThat(decode(new FrameDecoder(), bytes.toByteArray(), random, true))
                    .as("seed %d", seed)
                    .isEqualTo(sent);
        }
    }

    @Test
    void aSearchingDecoderFindsFramesAfterRubbish() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            List<Kept> sent = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                byte[] rubbish = new byte[random.nextInt(100)];
                random.nextBytes(rubbish);
                bytes.writeBytes(rubbish);
                sent.add(write(random, bytes));
            }
            assertThat(decode(new FrameDecoder(), bytes.toByteArray(), random, false))
                    .as("seed %d", seed)
                    .isEqualTo(sent);
        }
    }

    @Test
    void aHalfFrameIsCompletedByTheOpeningsZerosAndDropped() {
        byte[] half = new byte[40_000];
        ByteBuffer frame = FrameEncoder.frame(Frame.STDIN, 1, 0, new byte[Frame.MAX_PAYLOAD]);
        frame.get(half);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(half);
        bytes.writeBytes(array(FrameEncoder.opening(4711)));
        assertThat(decode(new FrameDecoder(), bytes.toByteArray(), new Random(1), false))
                .extracting(Kept::type)
                .containsExactly(Frame.RESET);
    }

    @Test
    void betweenTwoFramesAResetNeedsNoZeros() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(array(FrameEncoder.frame(Frame.QUIESCE, 0, 7, new byte[0])));
        bytes.writeBytes(array(FrameEncoder.reset(4711)));
        bytes.writeBytes(array(FrameEncoder.reset(4712)));
        assertThat(decode(new FrameDecoder(), bytes.toByteArray(), new Random(1), false))
                .extracting(Kept::type)
                .containsExactly(Frame.QUIESCE, Frame.RESET, Frame.RESET);
    }

    @Test
    void everyChangedBitOfAHeaderOrSealIsAnErrorForAStrictDecoder() {
        byte[] right = array(FrameEncoder.frame(Frame.DONE, 0, 7, new byte[0]));
        for (int bit = 0; bit < right.length * 8; bit++) {
            byte[] wrong = right.clone();
            wrong[bit / 8] ^= (byte) (1 << bit % 8);
            FrameDecoder decoder = new FrameDecoder();
            decoder.becomeStrict();
            assertThatThrownBy(() -> decode(decoder, wrong, new Random(1), true))
                    .as("bit %d", bit)
                    .isInstanceOf(GuestException.ProtocolBroken.class);
        }
    }

    @Test
    void mutatedConversationsEndInFramesOrInTheTypedError() {
        byte[] right = conversation();
        for (long seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            byte[] wrong = right.clone();
            for (int i = random.nextInt(4); i >= 0; i--) {
                wrong[random.nextInt(wrong.length)] = (byte) random.nextInt();
            }
            GuestBytes.consume(wrong);
        }
    }

    @Test
    void framesWithRandomPayloadsAreReadOrRefusedButNeverTrusted() {
        int[] types = {
            0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x8B, 0x8C, 0x8D, 0x8E, 0x8F, 0x90, 0x01
        };
        int refused = 0;
        for (long seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            byte[] payload = new byte[random.nextInt(40)];
            random.nextBytes(payload);
            ByteBuffer frame = FrameEncoder.frame(
                    types[random.nextInt(types.length)], random.nextInt(2), random.nextInt(2), payload);
            refused += GuestBytes.consume(array(frame)) ? 0 : 1;
        }
        assertThat(refused).isBetween(10_000, 19_999);
    }

    @Test
    void theAcknowledgementIsFoundBehindAHeaderThatWouldSwallowIt() {
        byte[] ack = array(GuestFrames.resetAck(4711));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] swallowing = array(FrameEncoder.frame(Frame.STDOUT, 1, 0, new byte[1000]));
        bytes.write(swallowing, 0, 100);
        bytes.writeBytes(ack);
        bytes.writeBytes(array(GuestFrames.done(9)));
        FrameDecoder decoder = new FrameDecoder();
        decoder.becomeStrict();
        decoder.space().put(bytes.toByteArray());
        decoder.filled();
        assertThat(decoder.skipPast(ack)).isTrue();
        assertThat(decoder.next().map(GuestMessage::parse)).contains(new GuestMessage.Done(9));
        assertThat(decoder.skipPast(ack)).isFalse();
    }

    private static byte[] conversation() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        List.of(
                        GuestFrames.hello(2, Duration.ofMillis(1), Duration.ofMillis(2), "1"),
                        GuestFrames.started(1, 2, 3, 4),
                        GuestFrames.output(2, Output.STDOUT, 0, new byte[100]),
                        GuestFrames.attached(3, 2, Frame.EXEC_ALL, 4, 5, new AttachPoint(6, 7)),
                        GuestFrames.detached(2),
                        GuestFrames.listing(4, List.of(listed())),
                        GuestFrames.measured(5, Map.of(1, 2L, 13, 3L, 99, -1L)),
                        GuestFrames.failed(2, GuestFailure.INTERNAL, "sentence"),
                        GuestFrames.exited(2, new ExitStatus.Signalled(9)),
                        GuestFrames.goodbye(new Goodbye(Goodbye.Reason.SHUTDOWN_REQUESTED, Optional.empty(), 3)),
                        GuestFrames.goodbye(new Goodbye(
                                Goodbye.Reason.SHUTDOWN_REQUESTED, Optional.of(new ExitStatus.Exited(7)), 1024)))
                .forEach(frame -> bytes.writeBytes(array(frame)));
        return bytes.toByteArray();
    }

    private static ExecutionInfo listed() {
        return new ExecutionInfo(
                2,
                3,
                "cat",
                true,
                false,
                true,
                true,
                Optional.of("key"),
                false,
                Instant.ofEpochSecond(1),
                Optional.of(new ExitStatus.Signalled(9)),
                Optional.of(Instant.ofEpochSecond(2)),
                new ExecutionInfo.Kept(4, 5),
                new ExecutionInfo.Kept(0, 6));
    }

    @Test
    void whatAGuestListsAndMeasuresIsReadAsItWasWritten() {
        assertThat(parsed(GuestFrames.listing(4, List.of(listed()))))
                .isEqualTo(new GuestMessage.Listing(4, List.of(listed())));
        assertThat(parsed(GuestFrames.measured(5, Map.of(1, 2L, 13, 3L, 99, -1L))))
                .isInstanceOfSatisfying(GuestMessage.Measured.class, measured -> {
                    assertThat(measured.metrics().uptimeNanos()).hasValue(2);
                    assertThat(measured.metrics().sentBytes()).hasValue(3);
                    assertThat(measured.metrics().cpus()).isEmpty();
                });
        assertThat(parsed(GuestFrames.attached(3, 2, Frame.EXEC_STDIN, 4, 5, new AttachPoint(6, 7))))
                .isEqualTo(new GuestMessage.Attached(3, 2, 2, true, 4, 5, new AttachPoint(6, 7)));
    }

    @Test
    void lastWordsAreReadAsTheyWereWritten() {
        ExitStatus end = new ExitStatus.Signalled(9);
        for (Goodbye words : List.of(
                new Goodbye(Goodbye.Reason.SHUTDOWN_REQUESTED, Optional.empty(), 3),
                new Goodbye(Goodbye.Reason.MAIN_ENDED, Optional.of(end)),
                new Goodbye(Goodbye.Reason.SHUTDOWN_REQUESTED, Optional.of(end), 1))) {
            assertThat(parsed(GuestFrames.goodbye(words))).isEqualTo(new GuestMessage.LastWords(words));
        }
    }

    @Test
    void listsAndMeasuresThatContradictThemselvesAreRefused() {
        assertThatThrownBy(() -> parsed(GuestFrames.listing(4, List.of(listed(), listed()))))
                .isInstanceOf(GuestException.ProtocolBroken.class);
        byte[] twice = new PayloadWriter().u32(1).u64(2).u32(1).u64(2).toBytes();
        byte[] cut = new PayloadWriter().u32(1).u32(2).toBytes();
        byte[] negative = new PayloadWriter().u32(1).u64(-1).toBytes();
        byte[] countless = new PayloadWriter().u32(-1).toBytes();
        for (byte[] measured : List.of(twice, cut, negative)) {
            assertThatThrownBy(() -> parsed(FrameEncoder.frame(Frame.MEASURED, 0, 1, measured)))
                    .isInstanceOf(GuestException.ProtocolBroken.class);
        }
        assertThatThrownBy(() -> parsed(FrameEncoder.frame(Frame.LISTING, 0, 1, countless)))
                .isInstanceOf(GuestException.ProtocolBroken.class);
    }

    private static GuestMessage parsed(ByteBuffer frame) {
        FrameDecoder decoder = new FrameDecoder();
        decoder.becomeStrict();
        decoder.space().put(frame);
        decoder.filled();
        return GuestMessage.parse(decoder.next().orElseThrow());
    }

    private static Kept write(Random random, ByteArrayOutputStream out) {
        byte[] payload = new byte[random.nextInt(4) == 0 ? random.nextInt(Frame.MAX_PAYLOAD + 1) : random.nextInt(50)];
        random.nextBytes(payload);
        int type = random.nextInt(0x10000);
        int stream = random.nextInt();
        int request = random.nextInt();
        out.writeBytes(array(FrameEncoder.frame(type, stream, request, payload)));
        return new Kept(type, false, stream, request, boxed(ByteBuffer.wrap(payload)));
    }

    private static List<Kept> decode(FrameDecoder decoder, byte[] bytes, Random random, boolean strict) {
        if (strict) {
            decoder.becomeStrict();
        }
        List<Kept> frames = new ArrayList<>();
        ByteBuffer left = ByteBuffer.wrap(bytes);
        while (left.hasRemaining()) {
            ByteBuffer space = decoder.space();
            assertThat(space.hasRemaining()).isTrue();
            int count = Math.min(Math.min(space.remaining(), left.remaining()), 1 + random.nextInt(30_000));
            space.put(left.slice(left.position(), count));
            left.position(left.position() + count);
            decoder.filled();
            decoder.next().ifPresent(first -> {
                Optional<Frame> frame = Optional.of(first);
                while (frame.isPresent()) {
                    Frame f = frame.get();
                    frames.add(new Kept(f.type(), f.more(), f.stream(), f.request(), boxed(f.payload())));
                    frame = decoder.next();
                }
            });
        }
        return frames;
    }

    private static List<Byte> boxed(ByteBuffer bytes) {
        List<Byte> list = new ArrayList<>();
        while (bytes.hasRemaining()) {
            list.add(bytes.get());
        }
        return list;
    }

    private static byte[] array(ByteBuffer frame) {
        byte[] bytes = new byte[frame.remaining()];
        frame.duplicate().get(bytes);
        return bytes;
    }
}
