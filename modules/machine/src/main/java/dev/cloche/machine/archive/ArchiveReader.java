package dev.cloche.machine.archive;

import com.github.luben.zstd.ZstdInputStream;
import dev.cloche.linux.NativeLibrary;
import dev.cloche.machine.config.MachineDirectories;
import dev.cloche.machine.config.MachineDocument;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * Reads an archive of a machine, which may be damaged or hostile: the entries are exactly those that {@link ArchiveWriter}
 * writes, in its order, each bounded, and what was read is good only after all checksums were compared.
 */
public final class ArchiveReader {
    private static final int BUFFER = 1 << 16;
    private static final int MAX_SCRIPT = 1 << 20;
    private static final int MAX_SUMS = 4096;

    private ArchiveReader() {}

    /** Says what was in an archive besides the disk. The arrays are the reader's own. */
    public static final class Content {
        private final ArchiveManifest manifest;
        private final byte[] config;
        private final Optional<byte[]> script;

        private Content(ArchiveManifest manifest, byte[] config, Optional<byte[]> script) {
            this.manifest = manifest;
            this.config = config;
            this.script = script;
        }

        public ArchiveManifest manifest() {
            return manifest;
        }

        public byte[] config() {
            return config;
        }

        public Optional<byte[]> script() {
            return script;
        }
    }

    /**
     * Reads everything, and writes the disk into a new file.
     *
     * @throws IOException if anything is not as it should be, with what
     */
    public static Content read(Path archive, Path disk) throws IOException {
        try (InputStream file = Files.newInputStream(archive);
                InputStream in =
                        new BufferedInputStream(NativeLibrary.use("zstd", () -> new ZstdInputStream(file)), BUFFER)) {
            StringBuilder sums = new StringBuilder();
            ArchiveManifest manifest =
                    ArchiveManifest.parse(file(in, ArchiveManifest.ENTRY, ArchiveManifest.MAX_BYTES, sums));
            byte[] config = file(in, MachineDirectories.CONFIG, MachineDocument.MAX_BYTES, sums);
            Optional<byte[]> script = manifest.script()
                    ? Optional.of(file(in, ArchiveWriter.SCRIPT, MAX_SCRIPT, sums))
                    : Optional.empty();
            DigestStreams.Input digested = new DigestStreams.Input(in);
            TarEntries.Entry entry = entry(digested, ArchiveWriter.DISK);
            SparseEntry.read(digested, entry, disk, (long) manifest.diskMiB() << 20);
            sums.append(ArchiveWriter.line(digested.hex(), ArchiveWriter.DISK));
            byte[] said = file(in, ArchiveWriter.SUMS, MAX_SUMS, new StringBuilder());
            if (!Arrays.equals(said, sums.toString().getBytes(StandardCharsets.US_ASCII))) {
                throw new IOException("its content is not what its checksums say");
            }
            if (TarEntries.read(in).isPresent() || in.read() >= 0) {
                throw new IOException("something stands behind its end");
            }
            return new Content(manifest, config, script);
        }
    }

    private static byte[] file(InputStream in, String name, int limit, StringBuilder sums) throws IOException {
        DigestStreams.Input digested = new DigestStreams.Input(in);
        TarEntries.Entry entry = entry(digested, name);
        if (entry.size() > limit || !entry.pax().isEmpty()) {
            throw new IOException("its " + name + " is too long");
        }
        byte[] content = TarEntries.exactly(digested, (int) entry.size());
        TarEntries.skipPadding(digested, entry.size());
        sums.append(ArchiveWriter.line(digested.hex(), name));
        return content;
    }

    private static TarEntries.Entry entry(InputStream in, String name) throws IOException {
        return TarEntries.read(in)
                .filter(entry -> entry.name().equals(name))
                .orElseThrow(() -> new IOException("it has no " + name + " where there should be one"));
    }
}
