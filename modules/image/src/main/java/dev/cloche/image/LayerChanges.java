package dev.cloche.image;

import java.nio.ByteBuffer;
import java.time.Instant;

/**
 * Takes what makes the layer of a new image, for {@link ImageStore#commit}. A path is relative to the root, empty for the root
 * itself, and its bytes are as in {@link dev.cloche.base.RawText}. The order of the entries is of no consequence. Every method
 * throws {@link CommitFailed} for what no layer can have, and beyond the limits of archives.
 */
public interface LayerChanges {
    /** Says what a file is. */
    enum Kind {
        FILE,
        DIRECTORY,
        SYMBOLIC_LINK,
        FIFO,
        CHARACTER_DEVICE,
        BLOCK_DEVICE
    }

    /**
     * Describes what lies at a path.
     *
     * @param mode the permission bits, at most 07777
     * @param uid 0 to 2^32 - 2
     * @param gid 0 to 2^32 - 2
     * @param size of a file, in bytes, holes included
     * @param linkTarget of a symbolic link, otherwise empty
     * @param major of a device, unsigned
     * @param minor of a device, unsigned
     */
    record Entry(
            Kind kind,
            String path,
            int mode,
            long uid,
            long gid,
            long size,
            Instant modified,
            String linkTarget,
            int major,
            int minor) {}

    void entry(Entry entry);

    /** Adds an extended attribute to the last entry. */
    void attribute(String name, byte[] value);

    /** Has the last entry, a directory, hide what lower layers have in it. */
    void opaque();

    /**
     * Adds data to the last entry, a file, by rising offsets and within its size; what is between them is a hole.
     *
     * @param bytes not kept
     */
    void data(long offset, ByteBuffer bytes);

    /** Has what lower layers have at a path be gone. */
    void removed(String path);
}
