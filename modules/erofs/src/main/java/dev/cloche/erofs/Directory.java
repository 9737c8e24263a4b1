package dev.cloche.erofs;

import java.util.Collections;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A directory and its children, in the order of their names. */
public final class Directory extends Inode {
    /** What Linux and EROFS allow for one name, in bytes. */
    public static final int MAX_NAME = 255;

    private final TreeMap<Bytes, Inode> children = new TreeMap<>();

    /** Set by the layout: the directory above (the root's is the root), and the size of the encoded entries. */
    Directory parent = this;

    long encodedSize;

    public Directory(Attributes attributes) {
        super(attributes);
    }

    public void attributes(Attributes changed) {
        changeAttributes(changed);
    }

    public @Nullable Inode get(Bytes name) {
        return children.get(name);
    }

    /**
     * Adds or replaces a child.
     *
     * @throws IllegalArgumentException if no file can be named so
     */
    public void put(Bytes name, Inode child) {
        if (!nameable(name)) {
            throw new IllegalArgumentException("no name for a file: " + name);
        }
        children.put(name, child);
    }

    /** Returns whether a file may have this name: 1 to 255 bytes without slash and NUL, neither {@code .} nor {@code ..}. */
    public static boolean nameable(Bytes name) {
        return !name.isEmpty()
                && name.length() <= MAX_NAME
                && !name.contains('/')
                && !name.contains('\0')
                && !DirectoryBlocks.isDot(name);
    }

    public void remove(Bytes name) {
        children.remove(name);
    }

    public void clear() {
        children.clear();
    }

    /** Returns a view that follows later changes. */
    public NavigableMap<Bytes, Inode> children() {
        return Collections.unmodifiableNavigableMap(children);
    }

    @Override
    int typeBits() {
        return ErofsFormat.S_IFDIR;
    }

    @Override
    int direntType() {
        return 2;
    }
}
