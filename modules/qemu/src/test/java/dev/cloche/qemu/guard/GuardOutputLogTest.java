package dev.cloche.qemu.guard;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.vm.OutputLog;
import dev.cloche.vm.OutputLogEntry;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.protocol.Frame;
import dev.cloche.vmm.protocol.FrameEncoder;
import dev.cloche.vmm.protocol.PayloadWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The output log: kept by the real guard, read while it turns, and with anything in it. */
class GuardOutputLogTest {
    private static Path binary = Path.of("");

    @TempDir
    Path directory = Path.of("");

    private final AtomicBoolean running = new AtomicBoolean();
    private long out;

    @BeforeAll
    static void compile() throws IOException, InterruptedException {
        binary = GuardBinary.compile();
    }

    private OutputLog log() {
        return new GuardOutputLog(directory, running::get);
    }

    private byte[] frame(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        byte[] frame = frame(1, out, bytes);
        out += bytes.length;
        return frame;
    }

    private static byte[] frame(int channel, long offset, byte[] bytes) {
        byte[] payload = new PayloadWriter()
                .u64(Instant.EPOCH.plusSeconds(7).getEpochSecond() * 1_000_000_000L)
                .u64(offset)
                .raw(bytes, 0, bytes.length)
                .toBytes();
        return FrameEncoder.frame(Frame.LOG, channel, 0, payload).array();
    }

    private void append(byte[] bytes) throws IOException {
        Files.write(directory.resolve("output.log"), bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void turn() throws IOException {
        Files.move(
                directory.resolve("output.log"),
                directory.resolve("output.log.1"),
                StandardCopyOption.REPLACE_EXISTING);
    }

    private static String text(OutputLogEntry entry) {
        ByteBuffer bytes = entry.bytes();
        return UTF_8.decode(bytes.duplicate()).toString();
    }

    private static List<OutputLogEntry> all(OutputLog log) {
        List<OutputLogEntry> entries = new ArrayList<>();
        for (var next = log.next(); next.isPresent(); next = log.next()) {
            entries.add(next.get());
        }
        return entries;
    }

    @Test
    void theGuardKeepsTheLatestFramesAcrossItsTwoFiles() throws Exception {
        Path frames = directory.resolve("frames");
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            lines.add("line " + i + "\n");
            Files.write(frames, frame(lines.getLast()), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
        try (var guard = GuardRun.script(
                binary,
                directory,
                List.of("--output-log-bytes", "262144"),
                "ls /proc/self/fd | tr '\\n' ' '; cat '" + frames + "' >&4; exit 0")) {
            assertThat(guard.ending()).contains("\"exitCode\":0");
        }
        assertThat(Files.size(directory.resolve("output.log.1"))).isEqualTo(131_072);
        assertThat(directory.resolve("console.log")).content().startsWith("0 1 2 3 4 5 ");
        try (OutputLog log = log()) {
            List<OutputLogEntry> kept = all(log);
            assertThat(kept).hasSizeBetween(2_000, 10_000);
            assertThat(kept.stream().map(GuardOutputLogTest::text))
                    .containsExactlyElementsOf(lines.subList(lines.size() - kept.size(), lines.size()));
            assertThat(kept.getFirst().missing()).isPositive();
            assertThat(kept.stream().skip(1)).allMatch(entry -> entry.missing() == 0);
        }
    }

    @Test
    void theGuardRefusesALogThatCouldNotHoldAFrame() throws Exception {
        try (var guard = GuardRun.script(binary, directory, List.of("--output-log-bytes", "1000"), "true")) {
            assertThat(guard.said()).isEqualTo("failed --output-log-bytes is too small: 1000\n");
        }
    }

    @Test
    void aLogThatIsMissingIsEmpty() {
        try (OutputLog log = log()) {
            assertThat(log.next()).isEmpty();
            assertThat(log.await(Deadline.after(Duration.ofSeconds(30)))).isEmpty();
        }
    }

    @Test
    void aFrameThatBeginsInOneFileAndEndsInTheNextIsRead() throws IOException {
        byte[] frame = frame("split");
        append(ByteBuffer.allocate(30).put(frame, 0, 30).array());
        turn();
        try (OutputLog log = log()) {
            assertThat(log.next()).isEmpty();
            byte[] rest = new byte[frame.length - 30];
            System.arraycopy(frame, 30, rest, 0, rest.length);
            append(rest);
            assertThat(all(log))
                    .singleElement()
                    .satisfies(entry -> assertThat(text(entry)).isEqualTo("split"));
        }
    }

    @Test
    void aReaderFollowsTheWriterThroughEveryTurn() throws Exception {
        running.set(true);
        Random random = new Random(5);
        Thread writer = Thread.ofPlatform().start(() -> {
            try {
                for (int i = 0; i < 3_000; i++) {
                    append(frame(i + "\n"));
                    if (random.nextInt(100) == 0) {
                        turn();
                        append(new byte[0]);
                    }
                }
                running.set(false);
                Files.createFile(directory.resolve("exit.json"));
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        long next = 0;
        long read = 0;
        try (OutputLog log = log()) {
            for (var entry = log.await(Deadline.none()); entry.isPresent(); entry = log.await(Deadline.none())) {
                next += entry.get().missing() + entry.get().bytes().remaining();
                read += entry.get().bytes().remaining();
            }
        }
        writer.join();
        // Nothing is told twice, and what was replaced before it could be read is told to be missing.
        assertThat(next).isEqualTo(out);
        assertThat(read).isPositive();
    }

    @Test
    void aWaitEndsAtItsDeadlineAndWhenTheVmDoes() {
        running.set(true);
        try (OutputLog log = log()) {
            assertThatThrownBy(() -> log.await(Deadline.after(Duration.ofMillis(20))))
                    .isInstanceOf(VmException.Deadline.class);
            running.set(false);
            assertThat(log.await(Deadline.none())).isEmpty();
        }
    }

    @Test
    void allElseThatAGuestWritesIntoItsLogIsPassedOver() throws IOException {
        append("no frame at all".repeat(9_000).getBytes(UTF_8));
        append(frame(3, 0, new byte[] {1}));
        append(frame(1, Long.MAX_VALUE, new byte[] {1}));
        append(frame(1, 0, new byte[0]));
        append(FrameEncoder.frame(Frame.GOODBYE, 0, 0, new byte[12]).array());
        append(frame("good"));
        append(frame(2, 0, "error".getBytes(UTF_8)));
        append(frame(1, 0, "again".getBytes(UTF_8)));
        try (OutputLog log = log()) {
            List<OutputLogEntry> entries = all(log);
            assertThat(entries.stream().map(GuardOutputLogTest::text)).containsExactly("good", "error", "again");
            assertThat(entries).allSatisfy(entry -> {
                assertThat(entry.missing()).isZero();
                assertThat(entry.time()).isEqualTo(Instant.EPOCH.plusSeconds(7));
            });
            assertThat(entries.get(1).error()).isTrue();
        }
    }
}
