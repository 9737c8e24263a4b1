package dev.cloche.image.layer;

import dev.cloche.erofs.ErofsTooLargeException;
import dev.cloche.erofs.ErofsWriter;
import dev.cloche.erofs.FileData;
import dev.cloche.erofs.SparseData;
import dev.cloche.image.ArchiveLimits;
import dev.cloche.image.CorruptArchiveException;
import dev.cloche.image.Digest;
import dev.cloche.image.tar.DataSegment;
import dev.cloche.image.tar.TarEntry;
import dev.cloche.image.tar.TarReader;
import dev.cloche.linux.FastSha256;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.MessageDigest;

/**
 * Turns the uncompressed archive of a layer into an EROFS image in the form of {@link LayerFormat}, in one pass and
 * bounded memory. The same archive gives the same bytes.
 */
public final class LayerConverter {
    private final TarReader reader;
    private final ErofsWriter writer;
    private final ArchiveLimits limits;

    private LayerConverter(TarReader reader, ErofsWriter writer, ArchiveLimits limits) {
        this.reader = reader;
        this.writer = writer;
        this.limits = limits;
    }

    /**
     * Reads the archive, up to the end of the stream, and writes the image, without forcing it to disk. After an error the
     * file has no superblock, and its removal is up to the caller.
     *
     * @param erofsFile created, or emptied where it exists
     * @throws CorruptArchiveException if the archive is refused
     * @throws ErofsTooLargeException if the image would not be addressable
     * @throws IOException if the stream or the disk failed
     */
    public static ConvertedLayer convert(InputStream uncompressedTar, Path erofsFile, ArchiveLimits limits)
            throws IOException {
        TarReader reader = new TarReader(uncompressedTar, limits);
        MessageDigest sha256 = FastSha256.fastest();
        try (ErofsWriter writer = ErofsWriter.create(erofsFile, sha256::update)) {
            LayerTree tree = new LayerConverter(reader, writer, limits).readAll();
            reader.drain();
            long bytes = writer.finish(tree.root());
            FileFingerprint erofs = new FileFingerprint(bytes, Digest.finish(sha256));
            return new ConvertedLayer(erofs, reader.taken(), tree.entries(), tree.droppedXattrs());
        }
    }

    private LayerTree readAll() throws IOException {
        LayerTree tree = new LayerTree(limits);
        for (TarEntry entry = reader.next(); entry != null; entry = reader.next()) {
            tree.add(entry, content(entry));
        }
        return tree;
    }

    private FileData content(TarEntry entry) throws IOException {
        if (entry.sparse()) {
            return sparse(entry);
        }
        checkRoom(entry.size());
        return writer.append(reader.data(), entry.size());
    }

    private FileData sparse(TarEntry entry) throws IOException {
        SparseData sparse = writer.sparse(entry.size());
        for (DataSegment segment : entry.segments()) {
            checkRoom(segment.length());
            sparse.data(segment.offset(), segment.length(), reader.data());
        }
        FileData data = sparse.finish();
        // Chunks that have only some data are filled up.
        checkRoom(0);
        return data;
    }

    private void checkRoom(long bytes) {
        if (bytes > limits.maxImageBytes() - writer.position()) {
            throw new CorruptArchiveException("its files have more than " + limits.maxImageBytes() + " bytes");
        }
    }
}
