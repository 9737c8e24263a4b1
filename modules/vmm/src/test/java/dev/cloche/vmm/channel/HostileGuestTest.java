package dev.cloche.vmm.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.FileKind;
import dev.cloche.vm.FileWatch;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.Output;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.protocol.FileEntry;
import dev.cloche.vmm.protocol.FileRecordWriter;
import dev.cloche.vmm.protocol.Frame;
import dev.cloche.vmm.protocol.FrameDecoder;
import dev.cloche.vmm.protocol.FrameEncoder;
import dev.cloche.vmm.protocol.GuestFrames;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A guest that owns its VM sends frames that are well-formed and lie in what they mean. */
class HostileGuestTest {
    private static final int OPENING = 65_540 + Frame.HEADER + Long.BYTES + Frame.SEAL;

    /** The connection survives or ends with one of our errors: its reading thread never dies with callers waiting. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void forAllMeaningsOfFramesTheConnectionEndsInOrder(long seed) throws Exception {
        Random random = new Random(seed);
        for (int round = 0; round < 100; round++) {
            PipeChannel.Pair ends = PipeChannel.Pair.open();
            try (GuestConnection connection = GuestConnection.open("hostile", ends.host(), () -> {})) {
                try (PipeChannel guest = ends.guest()) {
                    greet(guest);
                    var _ = connection.ready().get(1, TimeUnit.MINUTES);
                    send(guest, randomFrame(random));
                }
                assertThat(connection.awaitLoss(Deadline.after(Duration.ofMinutes(1))))
                        .isNotNull();
                assertThatThrownBy(() -> connection.exec(ExecRequest.of("x"), Deadline.after(Duration.ofMinutes(1))))
                        .isInstanceOf(VmException.class);
            }
        }
    }

    @Test
    void anExecutionThatWasNotAskedForIsABrokenProtocol() throws Exception {
        PipeChannel.Pair ends = PipeChannel.Pair.open();
        try (PipeChannel guest = ends.guest();
                GuestConnection connection = GuestConnection.open("hostile", ends.host(), () -> {})) {
            greet(guest);
            send(guest, GuestFrames.started(7, 1, 4711, 0));
            assertThat(connection.awaitLoss(Deadline.after(Duration.ofMinutes(1))))
                    .isInstanceOf(GuestException.ProtocolBroken.class);
        }
    }

    /** What the guest answers to one request of the host, and how the connection takes it. */
    private static void assertBroken(Consumer<Guest> call, IntFunction<ByteBuffer> lie) throws Exception {
        assertThrown(GuestException.ProtocolBroken.class, call, lie);
    }

    private static void assertThrown(
            Class<? extends GuestException> type, Consumer<Guest> call, IntFunction<ByteBuffer> lie) throws Exception {
        PipeChannel.Pair ends = PipeChannel.Pair.open();
        Thread liar = Thread.ofVirtual().unstarted(() -> answer(ends.guest(), lie));
        try (PipeChannel guest = ends.guest();
                GuestConnection connection = GuestConnection.open("hostile", ends.host(), () -> {})) {
            greet(guest);
            liar.start();
            assertThatThrownBy(() -> call.accept(connection)).isInstanceOf(type);
        }
        liar.join();
    }

    /** Answers every request with the same lie. */
    private static void answer(PipeChannel guest, IntFunction<ByteBuffer> lie) {
        FrameDecoder decoder = new FrameDecoder();
        try {
            while (guest.read(decoder.space()) >= 0) {
                decoder.filled();
                Optional<Frame> frame = decoder.next();
                while (frame.isPresent()) {
                    if (frame.get().request() != 0) {
                        send(guest, lie.apply(frame.get().request()));
                    }
                    frame = decoder.next();
                }
            }
        } catch (IOException hostIsGone) {
            // It has seen enough.
        }
    }

    private static Deadline soon() {
        return Deadline.after(Duration.ofMinutes(5));
    }

    @Test
    void anAttachmentThatIsNotTheOneAskedForBreaksTheProtocol() throws Exception {
        Consumer<Guest> attach = guest -> guest.attach(5, new AttachPoint(10, 0), soon());
        assertBroken(attach, request -> GuestFrames.attached(request, 5, 0, 0, 0, new AttachPoint(9, 0)));
        assertBroken(attach, request -> GuestFrames.attached(request, 6, 0, 0, 0, new AttachPoint(10, 0)));
        assertBroken(attach, request -> GuestFrames.started(request, 5, 1, 0));
    }

    @Test
    void executionsAndConnectionsHaveIdsOfTheirOwn() throws Exception {
        assertBroken(
                guest -> guest.dial(DialRequest.port(80), soon()), request -> GuestFrames.started(request, 5, 0, 0));
        assertBroken(
                guest -> guest.exec(ExecRequest.of("x"), soon()), request -> GuestFrames.started(request, -5, 1, 0));
    }

    @Test
    void aListThatNeverEndsBreaksTheProtocol() throws Exception {
        AtomicInteger ids = new AtomicInteger();
        assertBroken(guest -> guest.executions(soon()), request -> GuestFrames.listing(request, List.of(listed(1))));
        assertBroken(
                guest -> guest.executions(soon()),
                request -> GuestFrames.listing(request, List.of(listed(ids.incrementAndGet()))));
        assertThat(ids.get()).isLessThan(1100);
    }

    private static ExecutionInfo listed(int id) {
        ExecutionInfo.Kept nothing = new ExecutionInfo.Kept(0, 0);
        return new ExecutionInfo(
                id,
                id,
                "x",
                false,
                false,
                false,
                false,
                Optional.empty(),
                false,
                Instant.EPOCH,
                Optional.empty(),
                Optional.empty(),
                nothing,
                nothing);
    }

    @Test
    void anAgentThatKnowsNoWatchesIsAnOlderOne() throws Exception {
        assertThrown(
                GuestException.OlderAgent.class,
                HostileGuestTest::watch,
                request -> GuestFrames.failed(request, GuestFailure.UNSUPPORTED, "an operation that it does not know"));
    }

    @Test
    void whatAWatchMayNotTellBreaksTheProtocol() throws Exception {
        FileEntry other = new FileEntry(FileKind.FILE, 0644, 0, 0, 9, Instant.EPOCH, 0, 0, "other", "");
        assertBroken(HostileGuestTest::watch, request -> records(request, FileRecordWriter::done));
        assertBroken(
                HostileGuestTest::watch,
                request -> records(request, out -> {
                    out.ready();
                    out.entry(other);
                    out.flush();
                }));
        assertBroken(
                HostileGuestTest::watch,
                request -> records(request, out -> {
                    out.ready();
                    out.event(FileWatch.Change.WRITTEN, "name", Optional.of(other));
                    out.flush();
                }));
    }

    private static void watch(Guest guest) {
        try (FileWatch watch = guest.files().watch("/x", FileWatch.Options.DIRECTORY, soon())) {
            assertThat(watch.next(Duration.ofMinutes(5))).isEmpty();
        }
    }

    private interface Records {
        void to(FileRecordWriter out) throws IOException;
    }

    /** A file operation that starts and has these records on its standard output. */
    private static ByteBuffer records(int request, Records records) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            records.to(new FileRecordWriter(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ByteBuffer started = GuestFrames.started(request, 7, 1, 0);
        ByteBuffer output = GuestFrames.output(7, Output.STDOUT, 0, bytes.toByteArray());
        return ByteBuffer.allocate(started.remaining() + output.remaining())
                .put(started)
                .put(output)
                .flip();
    }

    @Test
    void metricsThatAreSomethingElseBreakTheProtocol() throws Exception {
        assertBroken(guest -> guest.metrics(soon()), GuestFrames::done);
        assertBroken(guest -> guest.thaw(soon()), request -> GuestFrames.measured(request, Map.of()));
    }

    /** It may cross a word of the host. */
    @Test
    void aTakeOverOfWhatIsNotAttachedIsNoNews() throws Exception {
        PipeChannel.Pair ends = PipeChannel.Pair.open();
        Thread honest = Thread.ofVirtual().unstarted(() -> answer(ends.guest(), GuestFrames::done));
        try (PipeChannel guest = ends.guest();
                GuestConnection connection = GuestConnection.open("hostile", ends.host(), () -> {})) {
            greet(guest);
            send(guest, GuestFrames.detached(77));
            honest.start();
            connection.thaw(soon());
        }
        honest.join();
    }

    private static void greet(PipeChannel guest) throws IOException {
        ByteBuffer opening = ByteBuffer.allocate(OPENING).order(ByteOrder.LITTLE_ENDIAN);
        while (opening.hasRemaining()) {
            assertThat(guest.read(opening)).isPositive();
        }
        long nonce = opening.getLong(OPENING - Frame.SEAL - Long.BYTES);
        send(guest, GuestFrames.resetAck(nonce));
        send(guest, GuestFrames.hello(2, Duration.ZERO, Duration.ZERO, "hostile"));
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
        return FrameEncoder.frame(0x80 + random.nextInt(21), random.nextInt(4) - 1, random.nextInt(3), payload);
    }

    private static void send(PipeChannel guest, ByteBuffer frame) throws IOException {
        while (frame.hasRemaining()) {
            guest.write(frame);
        }
    }
}
