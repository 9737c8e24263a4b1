package dev.cloche.machine.archive;

import com.github.luben.zstd.ZstdOutputStream;
import dev.cloche.base.DurableFiles;
import dev.cloche.linux.NativeLibrary;
import dev.cloche.machine.config.MachineDirectories;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Writes a machine into one file, which appears when it is whole and on the disk. Never replaces one. */
public final class ArchiveWriter {
    private static final int BUFFER = 1 << 16;
    static final String SUMS = "SHA256SUMS";
    public static final String DISK = "disk.raw";
    static final String SCRIPT = "provision.sh";

    private ArchiveWriter() {}

    /**
     * Writes an archive, which comes whole or not at all.
     *
     * @param disk its disk, as a file with holes
     * @throws java.nio.file.FileAlreadyExistsException if there is such a file
     */
    public static void write(Path target, ArchiveManifest manifest, byte[] config, byte[] script, Path disk)
            throws IOException {
        Path temporary = DurableFiles.temporaryBeside(target);
        try {
            try (OutputStream file = Files.newOutputStream(temporary);
                    ZstdOutputStream zstd = NativeLibrary.use("zstd", () -> new ZstdOutputStream(file))) {
                zstd.setChecksum(true);
                OutputStream out = new BufferedOutputStream(zstd, BUFFER);
                write(out, manifest, config, script, disk);
                out.flush();
            }
            DurableFiles.force(temporary);
            DurableFiles.publishNew(temporary, target);
        } catch (Throwable failure) {
            DurableFiles.deleteAfter(failure, temporary);
            throw failure;
        }
    }

    private static void write(OutputStream out, ArchiveManifest manifest, byte[] config, byte[] script, Path disk)
            throws IOException {
        StringBuilder sums = new StringBuilder();
        sums.append(file(out, ArchiveManifest.ENTRY, manifest.bytes()));
        sums.append(file(out, MachineDirectories.CONFIG, config));
        if (manifest.script()) {
            sums.append(file(out, SCRIPT, script));
        }
        DigestStreams.Output digested = new DigestStreams.Output(out);
        SparseEntry.write(digested, DISK, disk);
        sums.append(line(digested.hex(), DISK));
        var _ = file(out, SUMS, sums.toString().getBytes(StandardCharsets.US_ASCII));
        TarEntries.end(out);
    }

    private static String file(OutputStream out, String name, byte[] content) throws IOException {
        DigestStreams.Output digested = new DigestStreams.Output(out);
        TarEntries.write(digested, new TarEntries.Entry(name, content.length, Map.of()));
        digested.write(content);
        TarEntries.pad(digested, content.length);
        return line(digested.hex(), name);
    }

    /** Returns the line of an entry as it stands in the archive, header and padding included. */
    static String line(String digest, String name) {
        return digest + "  " + name + "\n";
    }
}
