package dev.cloche.image.layer;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Text of a VMDK descriptor that lets a VMM see several files as one disk. Format: VMware's "Virtual Disk Format 5.0",
 * as QEMU's {@code block/vmdk.c} reads it, which takes at most 1 MiB, ends the list of extents at the first blank line,
 * and counts lengths and offsets in sectors of 512 bytes.
 */
public final class VmdkDescriptor {
    static final int SECTOR = 512;
    private static final long MAX_EXTENT = 2L << 30;
    private static final int MAX_BYTES = (1 << 20) - 1;

    private final Path directory;
    private final StringBuilder extents = new StringBuilder();
    private long bytes;

    /** @param directory where the descriptor will be; it names files relative to that */
    public VmdkDescriptor(Path directory) {
        this.directory = directory.toAbsolutePath().normalize();
    }

    /** Adds a whole file of {@code size} bytes, which must be whole sectors. */
    public void add(Path file, long size) {
        if (size <= 0 || size % SECTOR != 0) {
            throw new IllegalArgumentException("not whole sectors: " + size + " bytes of " + file);
        }
        String name = name(file);
        for (long offset = 0; offset < size; offset += MAX_EXTENT) {
            long length = Math.min(MAX_EXTENT, size - offset);
            extents.append("RW ").append(length / SECTOR).append(" FLAT \"").append(name);
            extents.append("\" ").append(offset / SECTOR).append('\n');
        }
        bytes += size;
    }

    /** Returns the bytes of the disk. */
    public long bytes() {
        return bytes;
    }

    /**
     * Returns the finished descriptor.
     *
     * @throws IllegalStateException if there are so many extents that a VMM would cut the list
     */
    public byte[] encode() {
        String text = """
                # Disk DescriptorFile
                version=1
                CID=fffffffe
                parentCID=ffffffff
                createType="twoGbMaxExtentFlat"
                # Extent description
                %s
                # The Disk Data Base
                #DDB
                ddb.adapterType = "lsilogic"
                """.formatted(extents);
        byte[] encoded = text.getBytes(StandardCharsets.US_ASCII);
        if (encoded.length > MAX_BYTES) {
            throw new IllegalStateException(
                    "a VMDK descriptor of " + encoded.length + " bytes would not be read whole");
        }
        return encoded;
    }

    private String name(Path file) {
        String relative =
                directory.relativize(file.toAbsolutePath().normalize()).toString();
        if (!relative.chars().allMatch(c -> c >= ' ' && c < 0x7f && c != '"')) {
            throw new IllegalArgumentException("no name for an extent: " + relative);
        }
        // Otherwise a colon in a name would make a protocol of what is before it.
        return relative.startsWith("../") ? relative : "./" + relative;
    }
}
