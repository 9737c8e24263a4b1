package dev.cloche.image.layer;

import dev.cloche.base.DurableFiles;
import dev.cloche.erofs.ErofsReader;
import dev.cloche.erofs.ErofsWriter;
import dev.cloche.erofs.ReadLimits;
import dev.cloche.image.CorruptArchiveException;
import dev.cloche.image.ImageLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Joins the layers of an image into one disk without copying them: the merged tree's metadata (fsmeta) first, then the
 * layers, whose file content it points at by block addresses of the whole disk. So the guest mounts one EROFS without a
 * device table.
 */
public final class DiskAssembler {
    private DiskAssembler() {}

    /**
     * Writes the merged metadata, without forcing it to disk. A layer may stand in the list several times; without any layer
     * the image is an empty root.
     *
     * @param fsmetaFile created, or emptied where it exists
     * @return its length in bytes, a multiple of 4 KiB
     * @throws dev.cloche.erofs.ErofsException if a layer is none of ours, or the disk would not be addressable
     * @throws CorruptArchiveException if a hard link's target is in no layer, or all together have too many entries
     */
    public static long writeFsmeta(List<Path> layersBottomToTop, Path fsmetaFile, ImageLimits limits)
            throws IOException {
        LayerMerge merge = new LayerMerge(limits);
        long blocks = 0;
        for (Path layer : layersBottomToTop) {
            try (ErofsReader reader = ErofsReader.open(layer)) {
                merge.add(reader.tree(ReadLimits.DEFAULT), blocks);
                blocks += reader.blocks();
            }
        }
        return ErofsWriter.writeMetadata(fsmetaFile, merge.root(), blocks);
    }

    /**
     * Writes, durably, the descriptor of the disk made of {@code fsmeta} and its layers.
     *
     * @param descriptor the final name; the files are named relative to its directory
     * @throws IllegalArgumentException if these are not the files that the metadata was made for, or one of them cannot
     *     be named in a descriptor
     */
    public static void vmdkDescriptor(Path fsmeta, List<Path> layersBottomToTop, Path descriptor) throws IOException {
        Path directory = descriptor.toAbsolutePath().getParent();
        if (directory == null) {
            throw new IllegalArgumentException("a file system's root is no file: " + descriptor);
        }
        VmdkDescriptor text = new VmdkDescriptor(directory);
        text.add(fsmeta, Files.size(fsmeta));
        for (Path layer : layersBottomToTop) {
            text.add(layer, Files.size(layer));
        }
        try (ErofsReader reader = ErofsReader.openMetadata(fsmeta)) {
            if (reader.blocks() * ErofsWriter.BLOCK_BYTES != text.bytes()) {
                throw new IllegalArgumentException("the disk of " + fsmeta + " should have " + reader.blocks()
                        + " blocks, but its files have " + text.bytes() + " bytes");
            }
        }
        DurableFiles.write(descriptor, text.encode());
    }
}
