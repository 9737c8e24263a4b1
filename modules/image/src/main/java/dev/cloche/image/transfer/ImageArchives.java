package dev.cloche.image.transfer;

import com.github.luben.zstd.ZstdIOException;
import dev.cloche.base.DurableFiles;
import dev.cloche.image.CorruptArchiveException;
import dev.cloche.image.ImageLimits;
import dev.cloche.image.ImageReference;
import dev.cloche.image.LoadFailed;
import dev.cloche.image.layer.LayerCompression;
import dev.cloche.image.manifest.Descriptor;
import dev.cloche.image.store.CacheDirectory;
import dev.cloche.image.store.CacheFiles;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.ZipException;

/**
 * Finds the images of a file: an OCI layout, as a directory or archive, or an archive of {@code docker save}; archives
 * may be compressed, and need not be regular files.
 */
final class ImageArchives {
    private static final int PEEK = 4;

    private final CacheFiles files;
    private final ImageLimits limits;

    ImageArchives(CacheFiles files, ImageLimits limits) {
        this.files = files;
        this.limits = limits;
    }

    /** Describes the files of an archive and what its images are called. To be closed. */
    record Opened(LayoutFiles files, Map<ImageReference, Descriptor> images, AutoCloseable owner)
            implements AutoCloseable {
        @Override
        public void close() throws IOException {
            files.close();
            try {
                owner.close();
            } catch (IOException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /**
     * @param name what the image is to be called; only for files with one image
     * @throws LoadFailed if it is no sound archive, has no images, or does not say what they are called
     */
    Opened open(Path archive, Optional<ImageReference> name) throws IOException {
        if (Files.isDirectory(archive)) {
            LayoutDirectory directory = new LayoutDirectory(archive);
            return new Opened(directory, layoutImages(directory, name), () -> {});
        }
        TarLayout tar;
        try {
            tar = tar(archive);
        } catch (CorruptArchiveException e) {
            throw new LoadFailed(archive.toString(), "it is no archive, or a damaged one: " + e.what(), e);
        }
        try {
            if (tar.has("index.json")) {
                return new Opened(tar, layoutImages(tar, name), () -> {});
            }
            if (!tar.has(DockerArchive.INDEX)) {
                throw new LoadFailed(
                        archive.toString(), "it is neither an OCI layout nor an archive of Docker's", null);
            }
            DockerArchive.Opened docker = DockerArchive.read(tar, limits);
            return new Opened(docker.files(), named(archive.toString(), docker.images(), name), tar);
        } catch (IOException | RuntimeException e) {
            tar.close();
            throw e;
        }
    }

    private TarLayout tar(Path archive) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(archive), 1 << 16)) {
            in.mark(PEEK);
            boolean plain = LayerCompression.suffixOf(in.readNBytes(PEEK)).isEmpty();
            if (plain && Files.isRegularFile(archive)) {
                return TarLayout.of(
                        archive.toString(), FileChannel.open(archive, StandardOpenOption.READ), limits.archive());
            }
            in.reset();
            return TarLayout.of(archive.toString(), spooled(in), limits.archive());
        } catch (NoSuchFileException e) {
            throw new LoadFailed(archive.toString(), "there is no such file", e);
        }
    }

    /** Layers stand in an archive in any order, so what can be read only once is written down. */
    private FileChannel spooled(InputStream in) throws IOException {
        DurableFiles.ensureDirectory(files.directory(CacheDirectory.TMP));
        FileChannel spool = TarLayout.nameless(files.directory(CacheDirectory.TMP));
        try {
            // Not closed: that would close the channel, which is read from here on.
            OutputStream out = Channels.newOutputStream(spool);
            long left = limits.archive().maxArchiveBytes();
            InputStream plain = LayerCompression.open(in);
            byte[] buffer = new byte[1 << 16];
            for (int read = plain.read(buffer); read >= 0; read = plain.read(buffer)) {
                left -= read;
                if (left < 0) {
                    throw new CorruptArchiveException(
                            "it has more than " + limits.archive().maxArchiveBytes() + " bytes");
                }
                out.write(buffer, 0, read);
            }
            return spool;
        } catch (ZipException | EOFException | ZstdIOException e) {
            spool.close();
            throw new CorruptArchiveException("its compression is damaged: " + e.getMessage());
        } catch (IOException | RuntimeException e) {
            spool.close();
            throw e;
        }
    }

    private Map<ImageReference, Descriptor> layoutImages(LayoutFiles layout, Optional<ImageReference> name)
            throws IOException {
        List<Descriptor> entries;
        try {
            entries = LayoutSource.entries(layout, limits).stream()
                    .filter(entry -> !entry.attestation())
                    .toList();
        } catch (NoSuchFileException e) {
            throw new LoadFailed(layout.name(), "it is no OCI layout", e);
        }
        List<ArchivedImage> images = new ArrayList<>();
        for (Descriptor entry : entries) {
            images.add(new ArchivedImage(entry, entry.name().map(List::of).orElse(List.of())));
        }
        return named(layout.name(), images, name);
    }

    private static Map<ImageReference, Descriptor> named(
            String archive, List<ArchivedImage> images, Optional<ImageReference> name) {
        if (images.isEmpty()) {
            throw new LoadFailed(archive, "it has no image", null);
        }
        Map<ImageReference, Descriptor> named = new LinkedHashMap<>();
        if (name.isPresent()) {
            if (images.stream().map(ArchivedImage::manifest).distinct().count() > 1) {
                throw new LoadFailed(archive, "it has several images, which cannot have one name", null);
            }
            named.put(usable(archive, name.get()), images.getFirst().manifest());
            return named;
        }
        for (ArchivedImage image : images) {
            if (image.names().isEmpty()) {
                throw new LoadFailed(archive, "an image has no name in it", null);
            }
            for (String text : image.names()) {
                named.put(usable(archive, ImageReference.parse(text)), image.manifest());
            }
        }
        return named;
    }

    private static ImageReference usable(String archive, ImageReference name) {
        if (name.isDigestAlone()) {
            throw new LoadFailed(archive, "a digest is no name for an image", null);
        }
        return name;
    }
}
