package dev.cloche.image.tar;

import dev.cloche.erofs.Bytes;
import java.util.List;
import java.util.Map;

/**
 * Describes one file of an archive, all extended headers applied. Paths and targets are as they stand there, not yet
 * checked.
 *
 * @param linkTarget of symbolic and hard links, otherwise empty
 * @param size of a regular file, holes included, otherwise 0
 * @param segments the data of a regular file; a dense one has one segment, an empty one none
 * @param xattrs by full name
 */
public record TarEntry(
        Type type,
        Bytes path,
        Bytes linkTarget,
        int permissions,
        int uid,
        int gid,
        TarNumbers.Time modified,
        long size,
        List<DataSegment> segments,
        long major,
        long minor,
        Map<Bytes, Bytes> xattrs) {

    public enum Type {
        REGULAR,
        HARD_LINK,
        SYMLINK,
        CHARACTER_DEVICE,
        BLOCK_DEVICE,
        DIRECTORY,
        FIFO
    }

    /** Returns whether the file has holes. */
    public boolean sparse() {
        return size > 0 && !segments.equals(List.of(new DataSegment(0, size)));
    }
}
