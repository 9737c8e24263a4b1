package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.erofs.Bytes;
import dev.cloche.erofs.Directory;
import dev.cloche.erofs.ErofsReader;
import dev.cloche.erofs.ReadLimits;
import dev.cloche.erofs.RegularFile;
import dev.cloche.erofs.Symlink;
import dev.cloche.image.layer.ConvertedLayer;
import dev.cloche.image.layer.LayerCompression;
import dev.cloche.image.layer.LayerConverter;
import dev.cloche.image.layer.ReadAhead;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HostileArchiveTest {
    private static final long SEED = 20_260_102;
    private static final ArchiveLimits SMALL = new ArchiveLimits(20, 8, 200, 1 << 20, 1 << 20, 900_000, 4096, 10, 8192);

    @TempDir
    Path directory;

    @Test
    void everyKindOfAttackIsRefused() {
        Map<String, TarBuilder> attacks = new LinkedHashMap<>();
        attacks.put("leaves the image", new TarBuilder().file("a/../../etc/passwd", "x"));
        attacks.put("leaves the image ", new TarBuilder().hardLink("a", "../../etc/shadow"));
        attacks.put("too many links ", new TarBuilder().symlink("l", "l").hardLink("a", "l/passwd"));
        attacks.put("too many links", new TarBuilder().symlink("l", "l").file("l/passwd", "x"));
        attacks.put("is no directory", new TarBuilder().file("f", "x").file("f/g", "x"));
        attacks.put("root is no directory", new TarBuilder().file(".", "x"));
        attacks.put("is to a directory", new TarBuilder().directory("d", 0755).hardLink("l", "d"));
        attacks.put("is to a directory ", new TarBuilder().hardLink("l", "/"));
        attacks.put("names no file", new TarBuilder().file("d/.wh.", ""));
        attacks.put("names no file ", new TarBuilder().file("d/.wh...", ""));
        attacks.put("impossible target", new TarBuilder().symlink("l", ""));
        attacks.put("contains a NUL", new TarBuilder().pax("path", "a\0b").file("x", ""));
        attacks.put(
                "no file can have",
                new TarBuilder().pax("path", "n".repeat(256)).file("x", ""));
        attacks.put("impossible number", new TarBuilder().device("d", '3', 4096, 0));
        attacks.put("owner", new TarBuilder().pax("uid", "4294967296").file("x", ""));
        // The kernel takes it as "no change".
        attacks.put("owner ", new TarBuilder().pax("gid", "4294967295").file("x", ""));
        attacks.put("malformed number", new TarBuilder().pax("size", "-1").file("x", ""));
        attacks.put(
                "malformed number ",
                new TarBuilder().pax("size", "99999999999999999999").file("x", ""));
        attacks.put("claims", new TarBuilder().entry(base256(124, true), new byte[0]));
        attacks.put("claims ", new TarBuilder().entry(base256(124, false), new byte[0]));
        attacks.put("unknown type", new TarBuilder().entry(TarBuilder.header("x", 'M', 0), new byte[0]));
        attacks.put(
                "extended header claims", new TarBuilder().entry(TarBuilder.header("x", 'x', 2_000_000), new byte[0]));
        attacks.put("header is malformed", new TarBuilder().entry(TarBuilder.header("x", 'x', 8), new byte[8]));
        attacks.put("sparse file's map", sparse("0,10,5,10", "100"));
        attacks.put("sparse file's map ", sparse("0,10,95,10", "100"));
        attacks.put("sparse file's map  ", sparse("0,19", "100"));
        attacks.put("follows a zero block", new TarBuilder().raw(new byte[512]).file("x", ""));
        attacks.put("checksum", new TarBuilder().raw("1".repeat(512).getBytes(StandardCharsets.US_ASCII)));
        attacks.put(
                "too many extended attributes",
                xattrs(new TarBuilder(), 5, 60_000).file("x", ""));
        attacks.forEach((message, archive) -> assertThatThrownBy(() -> convert(archive.bytes(), ArchiveLimits.DEFAULT))
                .as(message)
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining(message.strip()));
    }

    @Test
    void limitsAreKept() {
        Map<String, TarBuilder> attacks = new LinkedHashMap<>();
        TarBuilder files = new TarBuilder();
        TarBuilder same = new TarBuilder();
        TarBuilder headers = new TarBuilder();
        for (int i = 0; i < 70; i++) {
            files.file("f" + i, "");
            same.file("f", "");
            headers.global("comment", "x");
        }
        attacks.put("more than 20 entries", files);
        attacks.put("more than 20 entries ", same);
        attacks.put("headers in a row", headers);
        attacks.put("more than 8 names", new TarBuilder().file("1/2/3/4/5/6/7/8/9", ""));
        attacks.put(
                "more than 200 bytes",
                new TarBuilder().pax("path", "a/".repeat(101)).file("x", ""));
        attacks.put(
                "more than 1048576 bytes",
                new TarBuilder()
                        .file("x", filled(800_000))
                        .pax("path", "y")
                        .entry(TarBuilder.header("y", 'V', 300_000), filled(300_000)));
        attacks.put(
                "its files have more than",
                new TarBuilder().file("x", filled(500_000)).file("y", filled(500_000)));
        attacks.put("a file has more than", sparse("0,20", "2000000"));
        attacks.put("pieces", sparse("0,1,2,1,4,1,6,1,8,1,10,1,12,1,14,1,16,1,18,1,20,1", "100"));
        attacks.put(
                "extended header claims",
                new TarBuilder().pax("comment", filled(5000)).file("x", ""));
        attacks.put(
                "names and attributes",
                new TarBuilder()
                        .pax("SCHILY.xattr.user.a", filled(3000))
                        .file("1", "")
                        .pax("SCHILY.xattr.user.a", filled(3000))
                        .file("2", "")
                        .pax("SCHILY.xattr.user.a", filled(3000))
                        .file("3", ""));
        attacks.forEach((message, archive) -> assertThatThrownBy(() -> convert(archive.bytes(), SMALL))
                .as(message)
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining(message.strip()));
    }

    @ParameterizedTest
    @EnumSource(TestImage.Compression.class)
    void aBombIsCutOffWhereTheLimitIs(TestImage.Compression compression) throws IOException {
        byte[] bomb = TestImage.compress(compression, new byte[64 << 20]);
        try (InputStream plain = LayerCompression.open(new ByteArrayInputStream(bomb));
                ReadAhead ahead = new ReadAhead(plain)) {
            assertThatThrownBy(() -> LayerConverter.convert(ahead, directory.resolve("layer"), SMALL))
                    .isInstanceOf(CorruptArchiveException.class)
                    .hasMessageContaining("it has more than 1048576 bytes");
        }
        assertThat(Files.size(directory.resolve("layer"))).isZero();
    }

    @Test
    void aFileThatClaimsMoreThanThereIsTakesNoMoreThanThereIs() throws IOException {
        byte[] archive = new TarBuilder()
                .entry(TarBuilder.header("x", '0', 8L << 30), new byte[0])
                .unfinished();
        assertThatThrownBy(() -> convert(archive, ArchiveLimits.DEFAULT))
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining("ends in the middle");
    }

    @Test
    void longNamesInARowAndOnesWithoutAFileAreRefused() {
        TarBuilder names = new TarBuilder();
        for (int i = 0; i < 70; i++) {
            names.entry(TarBuilder.header("././@LongLink", 'L', 2), "x\0".getBytes(StandardCharsets.US_ASCII));
        }
        refused("headers in a row", names);
        refused(
                "in the middle of an entry",
                new TarBuilder()
                        .entry(TarBuilder.header("././@LongLink", 'L', 2), "x\0".getBytes(StandardCharsets.US_ASCII)));
        refused(
                "extended header claims",
                new TarBuilder().entry(TarBuilder.header("././@LongLink", 'K', 2_000_000), new byte[0]));
    }

    /** The last of a name wins, as when an archive is extracted; nothing of the others is left. */
    @Test
    void filesAndDirectoriesMayTakeEachOthersPlace() throws IOException {
        byte[] archive = new TarBuilder()
                .directory("a", 0755)
                .file("a/inner", "x")
                .file("a", "now a file")
                .file("b", "x")
                .directory("b", 0700)
                .device("c", '3', 1, 3)
                .symlink("c", "/etc/passwd")
                .bytes();
        Path image = directory.resolve("layer");
        LayerConverter.convert(new ByteArrayInputStream(archive), image, ArchiveLimits.DEFAULT);
        try (ErofsReader reader = ErofsReader.open(image)) {
            Directory root = reader.tree(ReadLimits.DEFAULT);
            assertThat(root.get(Bytes.utf8("a"))).isInstanceOf(RegularFile.class);
            assertThat(root.get(Bytes.utf8("b"))).isInstanceOf(Directory.class);
            assertThat(root.get(Bytes.utf8("c"))).isInstanceOf(Symlink.class);
        }
    }

    @Test
    @Tag("slow")
    void tenToTheSixthEntriesAreRefusedAndHalfOfThemFit() throws IOException {
        assertThat(LayerConverter.convert(entries(499_000), directory.resolve("layer"), ArchiveLimits.DEFAULT)
                        .entries())
                .isEqualTo(499_000);
        assertThatThrownBy(() ->
                        LayerConverter.convert(entries(1_000_000), directory.resolve("layer"), ArchiveLimits.DEFAULT))
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining("more than 500000 entries");
    }

    /** An archive of empty files that is made as it is read. */
    private static InputStream entries(int count) {
        return new InputStream() {
            private int made;
            private byte[] header = new byte[0];
            private int next;

            @Override
            public int read() {
                throw new UnsupportedOperationException();
            }

            @Override
            public int read(byte[] target, int offset, int length) {
                if (next == header.length) {
                    if (made == count) {
                        return -1;
                    }
                    header = TarBuilder.header("f" + made++, '0', 0).encode();
                    next = 0;
                }
                int step = Math.min(length, header.length - next);
                System.arraycopy(header, next, target, offset, step);
                next += step;
                return step;
            }
        };
    }

    private void refused(String message, TarBuilder archive) {
        assertThatThrownBy(() -> convert(archive.bytes(), ArchiveLimits.DEFAULT))
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining(message);
    }

    @Test
    void truncationInsideAnEntryIsNoticedWhereverItIs() throws IOException {
        byte[] archive =
                new TarBuilder().pax("mtime", "1.5").file("x", filled(1000)).unfinished();
        int endOfContent = archive.length - 24;
        for (int length = 1; length < endOfContent; length++) {
            byte[] cut = Arrays.copyOf(archive, length);
            assertThatThrownBy(() -> convert(cut, ArchiveLimits.DEFAULT))
                    .as("cut at " + length)
                    .isInstanceOf(CorruptArchiveException.class);
        }
        // Some writers do not fill up the last block.
        for (int length = endOfContent; length <= archive.length; length++) {
            assertThat(convert(Arrays.copyOf(archive, length), ArchiveLimits.DEFAULT)
                            .entries())
                    .isEqualTo(1);
        }
    }

    @Test
    void damageEndsWithAnImageOrWithCorrupt() throws IOException {
        byte[] archive = new TarBuilder()
                .directory("d", 0755)
                .pax("SCHILY.xattr.user.a", "value")
                .pax("mtime", "-1.25")
                .file("d/f", "content")
                .hardLink("d/h", "d/f")
                .symlink("s", "d")
                .file("s/through", "x")
                .pax("GNU.sparse.map", "10,3,4000,2")
                .pax("GNU.sparse.size", "9000")
                .file("sparse", "abcde")
                .pax("GNU.sparse.major", "1")
                .pax("GNU.sparse.realsize", "9000")
                .file("sparse1", "1\n50\n3\n" + "\0".repeat(505) + "abc")
                .device("c", '3', 1, 2)
                .file("d/.wh.gone", "")
                .bytes();
        Random random = new Random(SEED);
        int refused = 0;
        for (int round = 0; round < 500; round++) {
            byte[] damaged = archive.clone();
            int at = random.nextInt(archive.length);
            damaged[at] = (byte) random.nextInt();
            fixChecksums(damaged);
            try {
                convert(damaged, ArchiveLimits.DEFAULT);
            } catch (CorruptArchiveException expected) {
                refused++;
            }
        }
        assertThat(refused).as("seed " + SEED).isBetween(50, 499);
    }

    /** Otherwise hardly any damage would get past the header. */
    private static void fixChecksums(byte[] archive) {
        for (int block = 0; block + 512 <= archive.length; block += 512) {
            if (archive[block + 257] == 'u' && archive[block + 258] == 's') {
                byte[] header = new TarBuilder.Header()
                        .raw(0, Arrays.copyOfRange(archive, block, block + 512))
                        .encode();
                System.arraycopy(header, 0, archive, block, 512);
            }
        }
    }

    private ConvertedLayer convert(byte[] archive, ArchiveLimits limits) throws IOException {
        try (InputStream stream = new ByteArrayInputStream(archive)) {
            return LayerConverter.convert(stream, directory.resolve("layer"), limits);
        } finally {
            Files.deleteIfExists(directory.resolve("layer"));
        }
    }

    private static TarBuilder sparse(String map, String size) {
        return new TarBuilder()
                .pax("GNU.sparse.map", map)
                .pax("GNU.sparse.size", size)
                .file("x", filled(20));
    }

    private static TarBuilder xattrs(TarBuilder archive, int count, int size) {
        for (int i = 0; i < count; i++) {
            archive.pax("SCHILY.xattr.user.n" + i, filled(size));
        }
        return archive;
    }

    private static TarBuilder.Header base256(int offset, boolean negative) {
        byte[] number = new byte[12];
        number[0] = (byte) (negative ? 0xff : 0x80);
        Arrays.fill(number, 4, 12, (byte) (negative ? 0xff : 0x7f));
        if (negative) {
            Arrays.fill(number, (byte) 0xff);
        }
        return TarBuilder.header("x", '0', 0).raw(offset, number);
    }

    private static byte[] filled(int length) {
        byte[] content = new byte[length];
        Arrays.fill(content, (byte) 'x');
        return content;
    }
}
