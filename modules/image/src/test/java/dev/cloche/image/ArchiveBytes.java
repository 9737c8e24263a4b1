package dev.cloche.image;

import dev.cloche.erofs.ErofsReader;
import dev.cloche.erofs.ReadLimits;
import dev.cloche.image.layer.LayerConverter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Feeds arbitrary bytes to the reader of archives, and reads back what becomes of them. The entry for a fuzzer, too. The
 * checksums of headers are put right, since no fuzzer would find them.
 */
final class ArchiveBytes {
    static final ArchiveLimits LIMITS = new ArchiveLimits(200, 16, 300, 1 << 20, 1 << 20, 1 << 20, 8192, 50, 1 << 16);

    private static final int BLOCK = 512;
    private static final Path FILE = temporary();

    private ArchiveBytes() {}

    /** For Jazzer, which looks for this name: anything but the typed error is a finding. */
    public static void fuzzerTestOneInput(byte[] bytes) {
        consume(bytes);
    }

    /** Whether it was an archive; any error but the typed one is thrown, also if its image cannot be read back. */
    static boolean consume(byte[] bytes) {
        byte[] archive = bytes.clone();
        fixChecksums(archive);
        try {
            LayerConverter.convert(new ByteArrayInputStream(archive), FILE, LIMITS);
            try (ErofsReader reader = ErofsReader.open(FILE)) {
                reader.tree(ReadLimits.DEFAULT);
            }
            return true;
        } catch (CorruptArchiveException refused) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void fixChecksums(byte[] archive) {
        for (int at = 0; at + BLOCK <= archive.length; at += BLOCK) {
            if (archive[at + 257] != 'u' || archive[at + 258] != 's') {
                continue;
            }
            int sum = 0;
            for (int i = 0; i < BLOCK; i++) {
                sum += i >= 148 && i < 156 ? ' ' : Byte.toUnsignedInt(archive[at + i]);
            }
            byte[] field = String.format("%06o\0 ", sum).getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(field, 0, archive, at + 148, field.length);
        }
    }

    private static Path temporary() {
        try {
            Path memory = Path.of("/dev/shm");
            Path file = Files.isWritable(memory)
                    ? Files.createTempFile(memory, "cloche-fuzz", ".erofs")
                    : Files.createTempFile("cloche-fuzz", ".erofs");
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
