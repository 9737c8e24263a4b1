package dev.cloche.erofs;

import java.util.ArrayList;
import java.util.List;

/**
 * Numbers the inodes of a tree and finds the size of its metadata, before any address is known. Breadth first, so that
 * the root has a low number (its field has 16 bits) and siblings are neighbours.
 *
 * <p>The metadata area: inodes with what belongs behind each of them (extended attributes, then an inline directory or
 * link target or the addresses of chunks), then, from the next block on, the directories and link targets that were
 * too large for that, in the order of their inodes.
 */
final class MetadataLayout {
    /** Not 0: a file with inode number 0 would be invisible, since readdir takes that for a deleted entry. */
    private static final long FIRST_OFFSET = ErofsFormat.INODE;

    private final List<Inode> inodes = new ArrayList<>();
    private final long inodeBlocks;
    private final long blocks;

    MetadataLayout(Directory root) {
        collect(root);
        long offset = FIRST_OFFSET;
        long outside = 0;
        for (Inode inode : inodes) {
            if (inode instanceof Directory directory) {
                directory.encodedSize = DirectoryBlocks.size(directory);
            }
            offset = place(offset, inode);
            inode.nid = offset / ErofsFormat.SLOT;
            offset += extent(inode);
            if (!inlines(inode)) {
                outside += ErofsFormat.blocks(outsideSize(inode));
            }
        }
        inodeBlocks = ErofsFormat.blocks(offset);
        blocks = inodeBlocks + outside;
    }

    private void collect(Directory root) {
        root.parent = root;
        visit(root);
        for (int next = 0; next < inodes.size(); next++) {
            if (inodes.get(next) instanceof Directory directory) {
                directory.links = 2;
                for (Inode child : directory.children().values()) {
                    if (visit(child)) {
                        child.links = 0;
                    } else if (child instanceof Directory) {
                        throw new IllegalArgumentException("a directory stands in two places");
                    }
                    child.links++;
                    if (child instanceof Directory below) {
                        below.parent = directory;
                        directory.links++;
                    }
                }
            }
        }
    }

    private boolean visit(Inode inode) {
        if (inode.layout == this) {
            return false;
        }
        inode.layout = this;
        inodes.add(inode);
        return true;
    }

    List<Inode> inodes() {
        return inodes;
    }

    /** Blocks of the inode area, after which the outside content begins. */
    long inodeBlocks() {
        return inodeBlocks;
    }

    /** Blocks of the whole metadata area. */
    long blocks() {
        return blocks;
    }

    /** Returns the next place where the inode may stand: inline content must not cross a block, nor should an inode. */
    private static long place(long offset, Inode inode) {
        long aligned = (offset + ErofsFormat.SLOT - 1) / ErofsFormat.SLOT * ErofsFormat.SLOT;
        long together = inlines(inode) && outsideSize(inode) > 0 ? extent(inode) : ErofsFormat.INODE;
        boolean crosses = aligned % ErofsFormat.BLOCK + together > ErofsFormat.BLOCK;
        return crosses ? ErofsFormat.blocks(aligned) * ErofsFormat.BLOCK : aligned;
    }

    /** Bytes that the inode takes in the inode area. */
    private static long extent(Inode inode) {
        long extent = ErofsFormat.INODE + XattrCodec.size(inode.attributes().xattrs());
        if (inode instanceof RegularFile file && file.data() instanceof FileData.Chunked chunked) {
            return extent + chunked.chunks() * ErofsFormat.CHUNK_ADDRESS;
        }
        return inlines(inode) ? extent + outsideSize(inode) : extent;
    }

    /** Returns whether the content, if any, stands behind the inode. Linux 5.15 wants the whole inode in one block then. */
    static boolean inlines(Inode inode) {
        return ErofsFormat.INODE + XattrCodec.size(inode.attributes().xattrs()) + outsideSize(inode)
                <= ErofsFormat.BLOCK;
    }

    /** Size of the content that is part of the metadata: a directory's or a link's. */
    static long outsideSize(Inode inode) {
        return switch (inode) {
            case Directory directory -> directory.encodedSize;
            case Symlink link -> link.target().length();
            case RegularFile _, SpecialFile _ -> 0;
        };
    }
}
