package dev.cloche.image.transfer;

import com.github.luben.zstd.ZstdIOException;
import dev.cloche.base.DurableFiles;
import dev.cloche.image.ArchiveLimits;
import dev.cloche.image.CorruptArchiveException;
import dev.cloche.image.Digest;
import dev.cloche.image.PullEvent;
import dev.cloche.image.PullFailed;
import dev.cloche.image.PullListener;
import dev.cloche.image.layer.ConvertedLayer;
import dev.cloche.image.layer.DigestingStream;
import dev.cloche.image.layer.FileFingerprint;
import dev.cloche.image.layer.LayerCompression;
import dev.cloche.image.layer.LayerConverter;
import dev.cloche.image.layer.ReadAhead;
import dev.cloche.image.manifest.Descriptor;
import dev.cloche.image.manifest.ImageSource;
import dev.cloche.image.store.CacheFiles;
import dev.cloche.image.store.CacheVerification;
import dev.cloche.image.store.CheckedFile;
import dev.cloche.image.store.StoredImage.StoredLayer;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipException;

/**
 * Pulls one layer, from its source to its file, in one pass: the network fills buffers, a second thread hashes and
 * decompresses them, and this one hashes what comes out, and writes and hashes the EROFS image. Nothing has the layer's name
 * before both digests are proven.
 */
final class LayerPull {
    private final ImageSource source;
    private final CacheFiles files;
    private final ArchiveLimits limits;
    private final PullListener listener;

    LayerPull(ImageSource source, CacheFiles files, ArchiveLimits limits, PullListener listener) {
        this.source = source;
        this.files = files;
        this.limits = limits;
        this.listener = listener;
    }

    /** To be called under the layer's lock. */
    StoredLayer run(Descriptor blob, Digest diffId) throws IOException {
        Path temporary = files.temporaryLayer(diffId);
        LayerDigestCheck digests = new LayerDigestCheck(source, blob, diffId);
        try (KeptBlob kept = source.lasts(blob) ? KeptBlob.none() : KeptBlob.of(files, diffId);
                DigestingStream compressed = new DigestingStream(
                        kept.through(new Bounded(open(blob, diffId), blob)),
                        count -> listener.on(new PullEvent.Progress(blob.digest(), count, blob.size())))) {
            Converted found;
            try {
                found = convert(compressed, temporary);
            } catch (ZipException | EOFException | ZstdIOException e) {
                throw digests.explain(
                        compressed, new CorruptArchiveException("its compression is damaged: " + e.getMessage()));
            } catch (CorruptArchiveException e) {
                throw digests.explain(compressed, e);
            }
            digests.verify(compressed, found.diffId());
            kept.publish();
            DurableFiles.force(temporary);
            DurableFiles.publish(temporary, files.layer(diffId));
            return new StoredLayer(diffId, CheckedFile.now(found.layer().erofs(), files.layer(diffId)));
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Keeps the blob of a layer that is here, if its source does not. To be called under the layer's lock. */
    void keepIfWanted(Descriptor blob, Digest diffId) throws IOException {
        if (source.lasts(blob) || Files.exists(files.blob(diffId))) {
            return;
        }
        LayerDigestCheck digests = new LayerDigestCheck(source, blob, diffId);
        try (KeptBlob kept = KeptBlob.of(files, diffId);
                DigestingStream compressed =
                        new DigestingStream(kept.through(new Bounded(source.blob(blob), blob)), _ -> {})) {
            Digest found;
            try (DigestingStream tar = new DigestingStream(LayerCompression.open(new Unclosed(compressed)), _ -> {})) {
                found = tar.digestOfAll();
            } catch (ZipException | EOFException | ZstdIOException e) {
                throw digests.explain(
                        compressed, new CorruptArchiveException("its compression is damaged: " + e.getMessage()));
            }
            digests.verify(compressed, found);
            kept.publish();
        }
    }

    /** A layer that was loaded once was kept as it came, and need not be had from anywhere. */
    private InputStream open(Descriptor blob, Digest diffId) throws IOException {
        Path keptBefore = files.blob(diffId);
        return source.lasts(blob) && CacheVerification.is(keptBefore, new FileFingerprint(blob.size(), blob.digest()))
                ? Files.newInputStream(keptBefore)
                : source.blob(blob);
    }

    private record Converted(Digest diffId, ConvertedLayer layer) {}

    private Converted convert(DigestingStream compressed, Path temporary) throws IOException {
        try (InputStream plain = LayerCompression.open(new Unclosed(compressed));
                ReadAhead ahead = new ReadAhead(plain)) {
            DigestingStream tar = new DigestingStream(ahead, _ -> {});
            ConvertedLayer layer = LayerConverter.convert(tar, temporary, limits);
            return new Converted(tar.digestOfAll(), layer);
        }
    }

    /** Stops a blob that goes on after the length that its manifest promised. */
    private final class Bounded extends FilterInputStream {
        private final Descriptor blob;
        private long left;

        Bounded(InputStream in, Descriptor blob) {
            super(in);
            this.blob = blob;
            this.left = blob.size();
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int count = in.read(target, offset, length);
            left -= Math.max(count, 0);
            if (left < 0) {
                throw new PullFailed(
                        PullFailed.Reason.DIGEST_MISMATCH,
                        source.name(),
                        "the layer " + blob.digest() + " is longer than the " + blob.size() + " bytes of its manifest");
            }
            return count;
        }
    }

    /** The decompressor may be closed before the blob has been read to its end. */
    private static final class Unclosed extends FilterInputStream {
        Unclosed(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            return in.read(target, offset, length);
        }

        @Override
        public void close() {
            // The blob is closed by who opened it.
        }
    }
}
