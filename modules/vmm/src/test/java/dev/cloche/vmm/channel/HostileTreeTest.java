package dev.cloche.vmm.channel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.linux.DirectoryHandle;
import dev.cloche.vm.CopyListener;
import dev.cloche.vm.CopyOptions;
import dev.cloche.vm.CopyReport;
import dev.cloche.vm.FileKind;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFileException;
import dev.cloche.vmm.protocol.FileEntry;
import dev.cloche.vmm.protocol.FileRecord;
import dev.cloche.vmm.protocol.FrameEncoder;
import dev.cloche.vmm.protocol.PayloadWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a guest can say while it is copied from, and what the host makes of it. */
class HostileTreeTest {
    private static final Instant TIME = Instant.ofEpochSecond(1_000_000_000, 5);

    @TempDir
    Path directory;

    private Path victim;
    private Path out;

    @BeforeEach
    void makeAVictimBeside() throws IOException {
        victim = Files.createDirectory(directory.resolve("victim"));
        Files.writeString(victim.resolve("precious"), "precious");
        out = Files.createDirectory(directory.resolve("work")).resolve("out");
    }

    @Test
    void aLinkIsMadeAndNothingGoesThroughIt() throws IOException {
        assertThatThrownBy(() -> copy(
                        directory(""),
                        link("way-out", victim.toString()),
                        file("way-out/precious", 3),
                        data(0, "bad"),
                        done()))
                .isInstanceOf(GuestException.CopyIncomplete.class)
                .hasCauseInstanceOf(GuestException.ProtocolBroken.class);
        assertThat(Files.readSymbolicLink(out.resolve("way-out"))).isEqualTo(victim);
        assertUntouched();
    }

    @Test
    void aLinkThatTakesADirectorysPlaceIsRefused() throws IOException {
        assertThatThrownBy(() -> copy(
                        directory(""),
                        directory("d"),
                        link("d", victim.toString()),
                        file("d/precious", 3),
                        data(0, "bad"),
                        done()))
                .extracting(HostileTreeTest::root)
                .isInstanceOf(GuestException.ProtocolBroken.class);
        assertUntouched();
    }

    @Test
    void aDirectoryThatTakesALinksPlaceIsRefused() throws IOException {
        assertThatThrownBy(() -> copy(
                        directory(""),
                        link("d", victim.toString()),
                        directory("d"),
                        file("d/precious", 3),
                        data(0, "bad"),
                        done()))
                .extracting(HostileTreeTest::root)
                .isInstanceOf(GuestException.ProtocolBroken.class);
        assertUntouched();
    }

    @Test
    void aLinkOfTheHostBelowTheDestinationIsNotFollowed() throws IOException {
        Files.createDirectory(out);
        Files.createSymbolicLink(out.resolve("mine"), victim);
        assertThatThrownBy(() -> copy(directory(""), directory("mine"), file("mine/precious", 3), done()))
                .isInstanceOf(GuestException.HostFile.class);
        copy(directory(""), file("mine", 3), data(0, "new"), done());
        assertThat(out.resolve("mine")).isRegularFile().hasContent("new");
        assertUntouched();
    }

    @Test
    void theDestinationItselfIsNotFollowedIfItIsALink() throws IOException {
        Files.createSymbolicLink(out, victim);
        assertThatThrownBy(() -> copy(directory(""), file("precious", 3), data(0, "bad"), done()))
                .isInstanceOf(GuestException.HostFile.class);
        assertUntouched();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/etc/x", "../x", "a/../../x", ".", "..", "a//b", "a/", "./a", "a\0b", "/"})
    void namesThatLeadElsewhereAreNoRecords(String name) {
        assertThatThrownBy(() -> parsed(file(name, 0))).isInstanceOf(GuestException.ProtocolBroken.class);
    }

    @Test
    void namesThatAreTooLongAreNoRecords() {
        assertThatThrownBy(() -> parsed(file("x".repeat(256), 0))).isInstanceOf(GuestException.ProtocolBroken.class);
        assertThatThrownBy(() -> parsed(file("x/".repeat(2048) + "x", 0)))
                .isInstanceOf(GuestException.ProtocolBroken.class);
    }

    @Test
    void linksWithoutATargetAndTargetsWithoutALinkAreNoRecords() {
        assertThatThrownBy(() -> parsed(link("a", ""))).isInstanceOf(GuestException.ProtocolBroken.class);
        assertThatThrownBy(() -> parsed(link("a", "b\0c"))).isInstanceOf(GuestException.ProtocolBroken.class);
        assertThatThrownBy(() -> parsed(entry(FileKind.FILE, 0644, 0, "a", "target")))
                .isInstanceOf(GuestException.ProtocolBroken.class);
    }

    @Test
    void whatLiesInNoDirectoryOfTheCopyIsRefused() throws IOException {
        assertRefused(directory(""), file("a/b", 0), done());
        assertRefused(directory(""), file("a", 0), file("a/b", 0), done());
        assertRefused(directory(""), directory("a"), directory("b"), file("a/late", 0), done());
        assertRefused(directory(""), entry(FileKind.FIFO, 0644, 0, "fifo", ""), file("fifo/b", 0), done());
        assertRefused(file("", 0), file("b", 0), done());
        assertUntouched();
    }

    @Test
    void whatComesTwiceIsRefusedAlsoInADirectoryThatWasThere() throws IOException {
        assertRefused(directory(""), file("a", 0), file("a", 0), done());
        assertRefused(directory(""), directory("a"), directory("b"), directory("a"), done());
        assertRefused(directory(""), directory(""), done());
        Files.createDirectory(out);
        assertRefused(directory(""), file("a", 0), file("a", 0), done());
    }

    @Test
    void aCopyThatDoesNotBeginOrHasForeignRecordsIsRefused() throws IOException {
        assertRefused(done());
        assertRefused(file("a", 0), done());
        assertRefused(data(0, "x"), done());
        assertRefused(directory(""), data(0, "x"), done());
        assertRefused(link("", "x"), data(0, "x"), done());
        assertThat(out).doesNotExist();
    }

    @Test
    void sizesThatLieAreRefusedAndNothingOfTheFileIsLeft() throws IOException {
        assertRefused(file("", 3), data(0, "four"), done());
        assertRefused(file("", 3), data(3, "x"), done());
        assertRefused(file("", 8), data(4, "four"), data(0, "back"), done());
        assertRefused(file("", 8), data(0, "four"), data(3, "over"), done());
        assertThat(out).doesNotExist();
        assertThat(beside()).isEmpty();
    }

    @Test
    void aSizeBeyondTheLimitIsRefusedBeforeAnythingIsWritten() {
        assertThatThrownBy(() -> copy(file("", Long.MAX_VALUE), done())).isInstanceOf(GuestException.CopyLimit.class);
        assertThatThrownBy(
                        () -> copy(directory(""), file("a", Long.MAX_VALUE / 2), file("b", Long.MAX_VALUE / 2), done()))
                .extracting(HostileTreeTest::root)
                .isInstanceOf(GuestException.CopyLimit.class);
    }

    @Test
    void anEndlessTreeEndsAtTheLimits() {
        CopyOptions few = CopyOptions.DEFAULT.withMaxEntries(100).withMaxDepth(5);
        int[] count = new int[1];
        assertThatThrownBy(() -> writer(few).write(() -> count[0]++ == 0 ? directory("") : file("f" + count[0], 0)))
                .extracting(HostileTreeTest::root)
                .isInstanceOf(GuestException.CopyLimit.class);
        StringBuilder name = new StringBuilder("d");
        assertThatThrownBy(() -> new HostTreeWriter(out.resolveSibling("deep"), few, CopyListener.silent())
                        .write(() -> {
                            if (name.length() == 1) {
                                name.append('/');
                                return directory("");
                            }
                            String next = name.substring(0, name.length() - 1);
                            name.append("d/");
                            return directory(next);
                        }))
                .extracting(HostileTreeTest::root)
                .isInstanceOf(GuestException.CopyLimit.class);
    }

    @Test
    void specialFilesAreNotMadeAndAreReported() throws IOException {
        CopyReport report = copy(
                directory(""),
                entry(FileKind.CHARACTER_DEVICE, 0666, 0, "null", ""),
                entry(FileKind.BLOCK_DEVICE, 0666, 0, "disk", ""),
                entry(FileKind.FIFO, 0666, 0, "fifo", ""),
                entry(FileKind.SOCKET, 0666, 0, "socket", ""),
                file("file", 0),
                done());
        assertThat(report.leftOut())
                .extracting(CopyReport.LeftOut::path)
                .containsExactly("null", "disk", "fifo", "socket");
        assertThat(report.entries()).isEqualTo(2);
        assertThat(out.toFile().list()).containsExactly("file");
    }

    @Test
    void specialBitsAreDroppedUnlessAskedFor() throws IOException {
        copy(entry(FileKind.FILE, 07755, 0, "", ""), done());
        assertThat(mode(out)).isEqualTo(0755);
        writer(CopyOptions.DEFAULT.withSpecialBits(true)).write(source(entry(FileKind.FILE, 07755, 0, "", ""), done()));
        assertThat(mode(out)).isEqualTo(07755);
    }

    @Test
    void aFileIsItsOwnersAloneUntilItIsComplete() throws IOException {
        Iterator<FileRecord> records = List.of(
                        entry(FileKind.FILE, 0666, 6, "", ""), data(0, "abc"), data(3, "def"), done())
                .iterator();
        writer(CopyOptions.DEFAULT).write(() -> {
            FileRecord next = records.next();
            for (Path unfinished : beside()) {
                assertThat(unfinished.getFileName().toString()).startsWith(".cloche-");
                assertThat(mode(unfinished)).isEqualTo(0600);
            }
            assertThat(out).doesNotExist();
            return next;
        });
        assertThat(out).hasContent("abcdef");
        assertThat(mode(out)).isEqualTo(0666);
        assertThat(Files.getLastModifiedTime(out).toInstant()).isEqualTo(TIME);
    }

    @Test
    void aFailureHalfwayLeavesTheOldFileAndSaysWhatIsThere() throws IOException {
        Files.createDirectory(out);
        Files.writeString(out.resolve("b"), "old");
        HostTreeWriter.Source failing = source(directory(""), file("a", 1), data(0, "x"), file("b", 5), data(0, "ne"));
        assertThatThrownBy(() -> writer(CopyOptions.DEFAULT).write(failing))
                .isInstanceOfSatisfying(GuestException.CopyIncomplete.class, e -> {
                    assertThat(e.code()).isEqualTo("vm.file.no-space");
                    assertThat(e.copied().entries()).isEqualTo(1);
                    assertThat(e.getMessage()).contains("whole in it: 1");
                });
        assertThat(out.resolve("a")).hasContent("x");
        assertThat(out.resolve("b")).hasContent("old");
        assertThat(out.toFile().list()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void aFileAndADirectoryDoNotReplaceEachOther() throws IOException {
        Files.createDirectory(out);
        assertThatThrownBy(() -> copy(file("", 0), done())).isInstanceOf(GuestException.HostFile.class);
        Files.delete(out);
        Files.writeString(out, "file");
        assertThatThrownBy(() -> copy(directory(""), done())).isInstanceOf(GuestException.HostFile.class);
        assertThat(out).hasContent("file");
    }

    private void assertRefused(FileRecord... records) throws IOException {
        assertThatThrownBy(() -> copy(records))
                .extracting(HostileTreeTest::root)
                .isInstanceOf(GuestException.ProtocolBroken.class);
        try (Stream<Path> all = Files.exists(out, LinkOption.NOFOLLOW_LINKS) ? Files.walk(out) : Stream.empty()) {
            for (Path left : all.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(left);
            }
        }
    }

    private static Throwable root(Throwable failure) {
        return failure.getCause() == null ? failure : root(failure.getCause());
    }

    private void assertUntouched() {
        assertThat(victim.toFile().list()).containsExactly("precious");
        assertThat(victim.resolve("precious")).hasContent("precious");
    }

    private List<Path> beside() {
        try (Stream<Path> all = Files.list(directory.resolve("work"))) {
            return all.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int mode(Path path) {
        try (DirectoryHandle parent = DirectoryHandle.open(directory.resolve("work"))) {
            return parent.status(String.valueOf(path.getFileName()))
                    .orElseThrow()
                    .permissions();
        }
    }

    private HostTreeWriter writer(CopyOptions options) {
        return new HostTreeWriter(out, options, CopyListener.silent());
    }

    private CopyReport copy(FileRecord... records) {
        return writer(CopyOptions.DEFAULT).write(source(records));
    }

    /** Fails with "no space" after the last record. */
    private static HostTreeWriter.Source source(FileRecord... records) {
        Iterator<FileRecord> iterator = new ArrayList<>(Arrays.asList(records)).iterator();
        return () -> {
            if (iterator.hasNext()) {
                return iterator.next();
            }
            throw GuestFileException.of(28, "/x");
        };
    }

    /** Through bytes, as from a guest. */
    private static FileRecord parsed(FileRecord.Entry record) {
        PayloadWriter body = new PayloadWriter();
        record.entry().writeTo(body);
        byte[] bytes = body.toBytes();
        return FileRecord.parse(
                FileRecord.ENTRY, FrameEncoder.allocate(bytes.length).put(bytes).flip());
    }

    private static FileRecord.Entry directory(String name) {
        return entry(FileKind.DIRECTORY, 0755, 0, name, "");
    }

    private static FileRecord.Entry file(String name, long size) {
        return entry(FileKind.FILE, 0644, size, name, "");
    }

    private static FileRecord.Entry link(String name, String target) {
        return entry(FileKind.SYMBOLIC_LINK, 0777, 0, name, target);
    }

    private static FileRecord.Entry entry(FileKind kind, int mode, long size, String name, String target) {
        return new FileRecord.Entry(new FileEntry(kind, mode, 0, 0, size, TIME, 0, 0, name, target));
    }

    private static FileRecord data(long offset, String text) {
        return new FileRecord.Data(offset, ByteBuffer.wrap(text.getBytes(UTF_8)));
    }

    private static FileRecord done() {
        return new FileRecord.Done();
    }
}
