package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import dev.cloche.machine.archive.ArchiveManifest;
import dev.cloche.machine.archive.ArchiveReader;
import dev.cloche.machine.archive.ArchiveWriter;
import dev.cloche.machine.archive.TarEntries;
import dev.cloche.machine.config.MachineDirectories;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exports of machines: what is written is read, and what was damaged is refused. */
class ArchiveTest {
    private static final int MIB = 1 << 20;
    private static final ArchiveManifest MANIFEST = new ArchiveManifest(1, "web", 64, true);

    @TempDir
    Path directory;

    @Test
    void whatIsWrittenIsReadAndHolesStayHoles() throws Exception {
        Path disk = disk();
        Path archive = write(disk);
        assertThat(Files.size(archive)).isLessThan(3 * MIB);

        Path copy = directory.resolve("copy");
        ArchiveReader.Content content = ArchiveReader.read(archive, copy);
        assertThat(content.manifest()).isEqualTo(MANIFEST);
        assertThat(content.config()).isEqualTo(bytes("config"));
        assertThat(content.script())
                .hasValueSatisfying(script -> assertThat(script).isEqualTo(bytes("#!/bin/sh\n")));
        assertThat(Files.mismatch(disk, copy)).isEqualTo(-1);
        assertThat(blocks(copy)).isLessThan(4L * MIB / 512);
    }

    @Test
    void anArchiveNeverReplacesAFile() throws Exception {
        Path disk = disk();
        Path archive = write(disk);
        assertThatThrownBy(() -> ArchiveWriter.write(archive, MANIFEST, bytes("c"), bytes("s"), disk))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(directory).isDirectoryNotContaining("glob:**/.tmp-*");
    }

    @Test
    void gnuTarReadsIt() throws Exception {
        Path archive = write(disk());
        Path tar = directory.resolve("plain.tar");
        Files.write(tar, plain(archive));
        Path out = Files.createDirectory(directory.resolve("out"));
        Process process = new ProcessBuilder("tar", "-xf", tar.toString(), "-C", out.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("tar.log").toFile())
                .start();
        assertThat(process.waitFor())
                .as(Files.readString(directory.resolve("tar.log")))
                .isZero();
        assertThat(Files.mismatch(out.resolve("disk.raw"), disk())).isEqualTo(-1);
        assertThat(out.resolve("config.toml")).hasContent("config");
    }

    /** Each byte of a small archive in turn is wrong, missing, or the last one. */
    @Test
    void everyDamageIsRefused() throws Exception {
        Path disk = directory.resolve("small");
        try (RandomAccessFile file = new RandomAccessFile(disk.toFile(), "rw")) {
            file.setLength(MIB);
            file.write(bytes("some data"));
        }
        Path archive = directory.resolve("small.tar.zst");
        ArchiveWriter.write(archive, new ArchiveManifest(1, "web", 1, false), bytes("config"), new byte[0], disk);
        byte[] tar = plain(archive);
        Random random = new Random(7);
        for (int i = 0; i < 300; i++) {
            byte[] damaged = tar.clone();
            int at = random.nextInt(damaged.length);
            damaged[at] ^= (byte) (1 << random.nextInt(8));
            refused(Zstd.compress(damaged), "bit at " + at);
            refused(Zstd.compress(Arrays.copyOf(tar, at)), "cut at " + at);
        }
        byte[] compressed = Files.readAllBytes(archive);
        for (int i = 0; i < compressed.length; i += 7) {
            refused(Arrays.copyOf(compressed, i), "compressed, cut at " + i);
        }
        byte[] longer = Arrays.copyOf(tar, tar.length + 512);
        longer[tar.length] = 'x';
        refused(Zstd.compress(longer), "something behind it");
        refused(Zstd.compress(new byte[0]), "nothing");
        refused(bytes("no archive"), "no archive");
    }

    @Test
    void aNewerOneIsRefusedAsSuch() throws Exception {
        Path archive = directory.resolve("newer");
        ArchiveWriter.write(archive, new ArchiveManifest(2, "web", 64, true), bytes("c"), bytes("s"), disk());
        assertThatThrownBy(() -> ArchiveReader.read(archive, directory.resolve("copy")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 2");
    }

    /** A few bytes that claim to be a disk of terabytes. */
    @Test
    void aDiskThatDoesNotFitHereIsRefusedBeforeItIsWritten() throws Exception {
        Path archive = directory.resolve("bomb");
        try (var zstd = new ZstdOutputStream(Files.newOutputStream(archive))) {
            ArchiveManifest manifest = new ArchiveManifest(1, "web", 1 << 24, false);
            for (var part : List.of(
                    Map.entry(ArchiveManifest.ENTRY, manifest.bytes()),
                    Map.entry(MachineDirectories.CONFIG, bytes("c")))) {
                TarEntries.write(zstd, new TarEntries.Entry(part.getKey(), part.getValue().length, Map.of()));
                zstd.write(part.getValue());
                TarEntries.pad(zstd, part.getValue().length);
            }
            long size = 1L << 44;
            byte[] map = Arrays.copyOf(bytes("1\n0\n" + size + "\n"), 512);
            TarEntries.write(
                    zstd,
                    new TarEntries.Entry(
                            ArchiveWriter.DISK,
                            size + 512,
                            Map.of(
                                    "GNU.sparse.major", "1",
                                    "GNU.sparse.minor", "0",
                                    "GNU.sparse.realsize", String.valueOf(size))));
            zstd.write(map);
        }
        Path copy = directory.resolve("copy");
        assertThatThrownBy(() -> ArchiveReader.read(archive, copy)).hasMessageContaining("no room here");
        assertThat(copy).doesNotExist();
    }

    private void refused(byte[] bytes, String how) throws IOException {
        Path archive = Files.write(directory.resolve("damaged"), bytes);
        Path copy = directory.resolve("damaged-copy");
        Files.deleteIfExists(copy);
        assertThatThrownBy(() -> ArchiveReader.read(archive, copy)).as(how).isInstanceOf(IOException.class);
    }

    private Path write(Path disk) throws IOException {
        Path archive = directory.resolve("web.tar.zst");
        ArchiveWriter.write(archive, MANIFEST, bytes("config"), bytes("#!/bin/sh\n"), disk);
        return archive;
    }

    private Path disk() throws IOException {
        Path disk = directory.resolve("disk");
        byte[] noise = new byte[MIB];
        new Random(1).nextBytes(noise);
        try (RandomAccessFile file = new RandomAccessFile(disk.toFile(), "rw")) {
            file.setLength(64L * MIB);
            file.write(noise);
            file.seek(40L * MIB + 12345);
            file.write(noise);
        }
        return disk;
    }

    private static byte[] plain(Path archive) throws IOException {
        try (var in = new ZstdInputStream(new ByteArrayInputStream(Files.readAllBytes(archive)))) {
            return in.readAllBytes();
        }
    }

    /** Of 512 bytes, as du counts. */
    private static long blocks(Path file) throws IOException {
        Process du = new ProcessBuilder("du", "-B512", file.toString()).start();
        String said = new String(du.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        return Long.parseLong(said.substring(0, said.indexOf('\t')));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
