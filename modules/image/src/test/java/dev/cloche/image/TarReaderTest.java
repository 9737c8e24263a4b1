package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.erofs.Bytes;
import dev.cloche.image.tar.DataSegment;
import dev.cloche.image.tar.TarEntry;
import dev.cloche.image.tar.TarNumbers;
import dev.cloche.image.tar.TarReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TarReaderTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {"v7", "ustar", "gnu", "oldgnu", "posix", "gnu -S", "posix -S", "posix -S --sparse-version=0.1"})
    void agreesWithCommonsCompress(String format) throws IOException, InterruptedException {
        Shell.need("tar");
        Shell.run(directory, """
                mkdir tree; cd tree; mkdir d; echo one > d/one; ln d/one d/two; ln -s one d/three; mkfifo -m 640 pipe
                truncate -s 5M sparse; printf mid | dd of=sparse bs=1 seek=3000001 conv=notrunc status=none
                head -c 100000 /dev/urandom > random; touch -d @-5.5 random; touch -d @1234567890.987654321 d/one
                if [ "$1" != v7 ] && [ "$1" != ustar ]; then echo x > "d/$(printf 'n%.0s' $(seq 200))"; fi
                cd ..; tar --format=$1 -cf archive.tar -C tree . 2>/dev/null || [ "$1" = v7 ] || [ "$1" = ustar ]
                """, format);
        List<String> ours = new ArrayList<>();
        try (InputStream file = Files.newInputStream(directory.resolve("archive.tar"))) {
            TarReader reader = new TarReader(file, ArchiveLimits.DEFAULT);
            for (TarEntry entry = reader.next(); entry != null; entry = reader.next()) {
                ours.add(describe(entry, expand(entry, reader.data())));
            }
        }
        List<String> theirs = new ArrayList<>();
        try (TarArchiveInputStream archive =
                new TarArchiveInputStream(Files.newInputStream(directory.resolve("archive.tar")))) {
            for (TarArchiveEntry entry = archive.getNextEntry(); entry != null; entry = archive.getNextEntry()) {
                theirs.add(describe(entry, archive.readAllBytes()));
            }
        }
        assertThat(ours).isEqualTo(theirs).hasSizeGreaterThan(5);
    }

    @Test
    void numbersBeyondOctalAndTimesBeforeTheEpochAreRead() throws IOException {
        byte[] before = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -2};
        byte[] uid = {(byte) 0x80, 0, 0, 0, (byte) 0xff, 0, 0, 1};
        TarEntry binary = only(new TarBuilder()
                .entry(TarBuilder.header("x", '0', 0).raw(136, before).raw(108, uid), new byte[0]));
        assertThat(binary.modified()).isEqualTo(new TarNumbers.Time(-2, 0));
        assertThat(binary.uid()).isEqualTo(0xff000001);

        TarEntry pax = only(
                new TarBuilder().pax("mtime", "-1.25").pax("gid", "4294967294").file("x", ""));
        assertThat(pax.modified()).isEqualTo(new TarNumbers.Time(-2, 750_000_000));
        assertThat(pax.gid()).isEqualTo(-2);
        assertThat(only(new TarBuilder().pax("mtime", "3.1234567899").file("x", ""))
                        .modified())
                .isEqualTo(new TarNumbers.Time(3, 123_456_789));
    }

    @Test
    void aFileWhoseNameEndsWithASlashHasItsContent() throws IOException {
        TarReader reader = new TarReader(new TarBuilder().file("data/", "kept").stream(), ArchiveLimits.DEFAULT);
        TarEntry entry = Objects.requireNonNull(reader.next());
        assertThat(entry.type()).isEqualTo(TarEntry.Type.REGULAR);
        assertThat(expand(entry, reader.data())).asString().isEqualTo("kept");

        assertThat(only(new TarBuilder().file("old/", "")).type()).isEqualTo(TarEntry.Type.DIRECTORY);
    }

    @Test
    void globalHeadersLastUntilReplacedOrTakenAway() throws IOException {
        TarReader reader = new TarReader(
                new TarBuilder()
                                .global("uid", "7")
                                .file("a", "")
                                .pax("uid", "8")
                                .file("b", "")
                                .pax("uid", "")
                                .file("c", "")
                                .file("d", "")
                                .stream(),
                ArchiveLimits.DEFAULT);
        List<Integer> owners = new ArrayList<>();
        for (TarEntry entry = reader.next(); entry != null; entry = reader.next()) {
            owners.add(entry.uid());
        }
        assertThat(owners).containsExactly(7, 8, 0, 7);
    }

    @Test
    void namesAndAttributesStayBytes() throws IOException {
        byte[] name = {'n', (byte) 0xff, '\n', '='};
        TarEntry entry = only(new TarBuilder()
                .pax("path", name)
                .pax("SCHILY.xattr.user.x", new byte[] {(byte) 0x80, 0, '\n'})
                .file("x", ""));
        assertThat(entry.path()).isEqualTo(Bytes.of(name));
        assertThat(entry.xattrs()).containsEntry(Bytes.utf8("user.x"), Bytes.of(new byte[] {(byte) 0x80, 0, '\n'}));
    }

    @Test
    void whatFollowsTheEndIsReadButIgnored() throws IOException {
        TarBuilder archive = new TarBuilder().file("x", "").raw(new byte[1024]).raw(new byte[] {1, 2, 3});
        InputStream stream = new ByteArrayInputStream(archive.unfinished());
        TarReader reader = new TarReader(stream, ArchiveLimits.DEFAULT);
        assertThat(reader.next()).isNotNull();
        assertThat(reader.next()).isNull();
        reader.drain();
        assertThat(stream.available()).isZero();
        assertThat(reader.taken()).isEqualTo(archive.unfinished().length);
    }

    private static TarEntry only(TarBuilder archive) throws IOException {
        return Objects.requireNonNull(new TarReader(archive.stream(), ArchiveLimits.DEFAULT).next());
    }

    private static byte[] expand(TarEntry entry, InputStream data) throws IOException {
        byte[] content = new byte[(int) entry.size()];
        for (DataSegment segment : entry.segments()) {
            data.readNBytes(content, (int) segment.offset(), (int) segment.length());
        }
        return content;
    }

    private static String describe(TarEntry entry, byte[] content) {
        String kind = entry.type().name() + " " + entry.path() + " -> " + entry.linkTarget();
        long millis = entry.modified().seconds() * 1000 + entry.modified().nanos() / 1_000_000;
        return kind + " " + entry.permissions() + " " + entry.uid() + " " + millis + " " + entry.size() + " "
                + Arrays.hashCode(content);
    }

    private static String describe(TarArchiveEntry entry, byte[] content) {
        String type = entry.isDirectory()
                ? "DIRECTORY"
                : entry.isSymbolicLink()
                        ? "SYMLINK"
                        : entry.isLink() ? "HARD_LINK" : entry.isFIFO() ? "FIFO" : "REGULAR";
        String path = new String(entry.getName().getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        long size = entry.isSparse() ? entry.getRealSize() : entry.getSize();
        return type + " " + path + " -> " + entry.getLinkName() + " " + (entry.getMode() & 07777) + " "
                + entry.getLongUserId() + " " + entry.getLastModifiedTime().toMillis() + " " + size + " "
                + Arrays.hashCode(content);
    }
}
