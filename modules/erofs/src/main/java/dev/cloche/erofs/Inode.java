package dev.cloche.erofs;

import org.jspecify.annotations.Nullable;

/**
 * A node of a file tree in memory. One object that stands in several directories is one inode with several hard links.
 *
 * <p>Not safe for use by several threads.
 */
public abstract sealed class Inode permits Directory, RegularFile, Symlink, SpecialFile {
    private Attributes attributes;

    /** The layout that numbered this inode last; the two fields below are its. */
    @Nullable
    MetadataLayout layout;

    long nid;
    int links;

    Inode(Attributes attributes) {
        this.attributes = attributes;
    }

    public final Attributes attributes() {
        return attributes;
    }

    final void changeAttributes(Attributes changed) {
        attributes = changed;
    }

    /** Returns the type bits of the mode ({@code S_IFMT}). */
    abstract int typeBits();

    /** Returns the type in a directory entry ({@code FT_*} of the kernel). */
    abstract int direntType();
}
