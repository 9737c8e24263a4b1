package dev.cloche.vmm.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.FileKind;
import dev.cloche.vm.FileWatch;
import dev.cloche.vm.GuestException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FileRecordTest {
    private static final Path CORPUS = Path.of("src/test/fuzz/records");

    @Test
    void recordsComeBackAsTheyWereWritten() throws IOException {
        FileEntry entry = new FileEntry(
                FileKind.SYMBOLIC_LINK,
                0777,
                -2,
                5,
                Long.MAX_VALUE,
                Instant.ofEpochSecond(-5, 999_999_999),
                1,
                2,
                "a/\udcff\n",
                "../t");
        byte[] large = new byte[200_000];
        new Random(1).nextBytes(large);
        FileRecordReader in = new FileRecordReader(new ByteArrayInputStream(written(entry, large)));
        assertThat(in.next()).hasValue(new FileRecord.Entry(entry));
        ByteBuffer together = ByteBuffer.allocate(large.length);
        while (together.hasRemaining()) {
            FileRecord.Data data = (FileRecord.Data) in.next().orElseThrow();
            assertThat(data.offset()).isEqualTo(7 + together.position());
            together.put(data.bytes());
        }
        assertThat(together.array()).isEqualTo(large);
        assertThat(in.next()).hasValue(new FileRecord.Done());
        assertThat(in.next()).hasValue(new FileRecord.Failed(28, "/full"));
        assertThat(in.next()).isEmpty();
    }

    @Test
    void whatAWatchTellsComesBackAsItWasWritten() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        FileRecordWriter out = new FileRecordWriter(bytes);
        FileEntry entry = new FileEntry(FileKind.FILE, 0644, 0, 0, 9, Instant.EPOCH, 0, 0, "a/b", "");
        out.ready();
        for (FileWatch.Change change : FileWatch.Change.values()) {
            out.event(change, "a/b", Optional.empty());
        }
        out.event(FileWatch.Change.WRITTEN, "a/b", Optional.of(entry));
        out.event(FileWatch.Change.REMOVED, "", Optional.empty());
        out.done();
        FileRecordReader in = new FileRecordReader(new ByteArrayInputStream(bytes.toByteArray()));
        assertThat(in.next()).hasValue(new FileRecord.Ready());
        for (FileWatch.Change change : FileWatch.Change.values()) {
            assertThat(in.next()).hasValue(new FileRecord.Event(change, false, "a/b"));
        }
        assertThat(in.next()).hasValue(new FileRecord.Event(FileWatch.Change.WRITTEN, true, "a/b"));
        assertThat(in.next()).hasValue(new FileRecord.Entry(entry));
        assertThat(in.next()).hasValue(new FileRecord.Event(FileWatch.Change.REMOVED, false, ""));
        assertThat(in.next()).hasValue(new FileRecord.Done());
    }

    @Test
    void anEventThatLeadsOutOfItsDirectoryOrIsNoneIsATypedError() {
        for (PayloadWriter body : List.of(
                new PayloadWriter().u32(1).u32(0).name("../x"),
                new PayloadWriter().u32(1).u32(0).name("/x"),
                new PayloadWriter().u32(1).u32(0).name("a//b"),
                new PayloadWriter().u32(0).u32(0).name("x"),
                new PayloadWriter().u32(6).u32(0).name("x"),
                new PayloadWriter().u32(1).u32(2).name("x"),
                new PayloadWriter().u32(1).u32(0).name("x").u32(0))) {
            byte[] content = body.toBytes();
            ByteBuffer bytes =
                    ByteBuffer.allocate(FileRecord.HEADER + content.length).order(ByteOrder.LITTLE_ENDIAN);
            bytes.putInt(FileRecord.EVENT).putInt(content.length).put(content);
            FileRecordReader in = new FileRecordReader(new ByteArrayInputStream(bytes.array()));
            assertThatThrownBy(in::next).isInstanceOf(GuestException.ProtocolBroken.class);
        }
    }

    @Test
    void aStreamThatIsCutAnywhereIsATypedError() throws IOException {
        byte[] bytes =
                written(new FileEntry(FileKind.FILE, 0644, 0, 0, 9, Instant.EPOCH, 0, 0, "name", ""), new byte[9]);
        int whole = 0;
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            whole += FileRecordBytes.consume(cut) ? 1 : 0;
        }
        assertThat(whole).as("cuts between two records").isEqualTo(4);
    }

    @Test
    void recordsThatAreNoneAreTypedErrors() {
        for (List<Integer> header : List.of(
                List.of(0, 0),
                List.of(12, 0),
                List.of(FileRecord.DETAILS, 0),
                List.of(FileRecord.DETAILS, 13),
                List.of(FileRecord.ATTRIBUTE, 0),
                List.of(FileRecord.ATTRIBUTE, 8),
                List.of(FileRecord.REMOVED, 4),
                List.of(FileRecord.OPAQUE, 1),
                List.of(FileRecord.READY, 1),
                List.of(FileRecord.EVENT, 0),
                List.of(FileRecord.OVERFLOW, 4),
                List.of(FileRecord.ENTRY, 0),
                List.of(FileRecord.DATA, 8),
                List.of(FileRecord.DATA, 65_537),
                List.of(FileRecord.DATA, -1),
                List.of(FileRecord.DONE, 1),
                List.of(FileRecord.FAILED, 4))) {
            ByteBuffer bytes = ByteBuffer.wrap(new byte[100]).order(ByteOrder.LITTLE_ENDIAN);
            bytes.putInt(header.getFirst()).putInt(header.getLast());
            FileRecordReader in = new FileRecordReader(new ByteArrayInputStream(bytes.array()));
            assertThatThrownBy(in::next).as("%s", header).isInstanceOf(GuestException.ProtocolBroken.class);
        }
    }

    @Test
    void detailsWithNamesOrPathsThatNoFileHasAreATypedError() {
        assertThat(details("root", "wheel", "/a/b")).isEqualTo(new FileRecord.Details("root", "wheel", "/a/b"));
        assertThat(details("", "", "")).isEqualTo(new FileRecord.Details("", "", ""));
        for (List<String> texts : List.of(
                List.of("u".repeat(256), "", ""),
                List.of("", "g".repeat(256), ""),
                List.of("", "", "relative"),
                List.of("", "", "/" + "p".repeat(GuestPaths.MAX)))) {
            assertThatThrownBy(() -> details(texts.get(0), texts.get(1), texts.get(2)))
                    .as("%s", texts)
                    .isInstanceOf(GuestException.ProtocolBroken.class);
        }
    }

    private static FileRecord details(String owner, String group, String realPath) {
        byte[] body = new PayloadWriter().name(owner).name(group).name(realPath).toBytes();
        return FileRecord.parse(FileRecord.DETAILS, ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN));
    }

    @Test
    void forAllBytesOnlyTheTypedErrorIsThrown() throws IOException {
        Random random = new Random(5);
        byte[] good =
                written(new FileEntry(FileKind.FILE, 0644, 0, 0, 9, Instant.EPOCH, 0, 0, "name/x", ""), new byte[9]);
        for (int i = 0; i < 20_000; i++) {
            byte[] bad = good.clone();
            for (int n = random.nextInt(4); n >= 0; n--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            }
            FileRecordBytes.consume(bad);
        }
    }

    @Test
    void whatTheFuzzerHasFoundStaysHarmless() throws IOException {
        try (Stream<Path> corpus = Files.list(CORPUS)) {
            List<Path> inputs = corpus.toList();
            assertThat(inputs).isNotEmpty();
            for (Path input : inputs) {
                FileRecordBytes.consume(Files.readAllBytes(input));
            }
        }
    }

    private static byte[] written(FileEntry entry, byte[] content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        FileRecordWriter out = new FileRecordWriter(bytes);
        out.entry(entry);
        out.data(7, content, 0, content.length);
        out.done();
        out.failed(28, "/full", "no space");
        return bytes.toByteArray();
    }
}
