package dev.cloche.image.layer;

import dev.cloche.erofs.Attributes;
import dev.cloche.erofs.Bytes;
import dev.cloche.erofs.Directory;
import dev.cloche.erofs.FileData;
import dev.cloche.erofs.Inode;
import dev.cloche.erofs.RegularFile;
import dev.cloche.erofs.SpecialFile;
import dev.cloche.erofs.Symlink;
import dev.cloche.erofs.Xattrs;
import dev.cloche.image.ArchiveLimits;
import dev.cloche.image.CorruptArchiveException;
import dev.cloche.image.tar.TarEntry;
import dev.cloche.image.tar.TarNumbers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tree of one layer while its archive is read, in the form of {@link LayerFormat}. Later entries replace earlier
 * ones, and what they replace has hidden the layers below.
 */
final class LayerTree {
    private static final Bytes WHITEOUT = Bytes.utf8(".wh.");
    private static final Bytes WHITEOUT_META = Bytes.utf8(".wh..wh.");
    private static final Bytes WHITEOUT_OPAQUE = Bytes.utf8(".wh..wh..opq");

    private static final int IMPLIED_PERMISSIONS = 0755;
    /** What a segment of a sparse file costs in memory at least. */
    private static final long SEGMENT_BYTES = 40;

    private final ArchiveLimits limits;
    private final Directory root;
    private final PathWalk creating;
    private final PathWalk looking;
    private long entries;
    private long metadataBytes;
    private long droppedXattrs;

    LayerTree(ArchiveLimits limits) {
        this.limits = limits;
        this.root = new Directory(implied());
        this.creating = new PathWalk(root, this::made);
        // What is not in this layer may be in a lower one.
        this.looking = new PathWalk(root, (_, _, _) -> new Directory(implied()));
    }

    Directory root() {
        return root;
    }

    long entries() {
        return entries;
    }

    /** Attributes in name spaces that Linux or EROFS does not have, or that are reserved. */
    long droppedXattrs() {
        return droppedXattrs;
    }

    /** Adds an entry, whose content, if it is a regular file, is at {@code data}. */
    void add(TarEntry entry, FileData data) {
        List<Bytes> names = PathNames.of(entry.path(), limits.maxDepth());
        account(entry);
        if (names.isEmpty()) {
            if (entry.type() != TarEntry.Type.DIRECTORY) {
                throw new CorruptArchiveException("the image's root is no directory");
            }
            root.attributes(attributes(entry, LayerFormat.opaque(root)));
            return;
        }
        Directory parent = creating.directory(names.subList(0, names.size() - 1));
        if (parent == null) {
            throw new CorruptArchiveException(
                    "the path " + entry.path() + " goes through too many links or directories");
        }
        Bytes name = names.getLast();
        if (name.startsWith(WHITEOUT)) {
            whiteout(parent, name);
            return;
        }
        Inode replaced = parent.get(name);
        switch (entry.type()) {
            case DIRECTORY -> directory(parent, name, replaced, entry);
            case REGULAR -> put(parent, name, new RegularFile(attributes(entry, false), data));
            case SYMLINK -> put(parent, name, symlink(entry));
            case HARD_LINK -> put(parent, name, linkTarget(entry));
            case CHARACTER_DEVICE -> put(parent, name, special(entry, SpecialFile.Kind.CHARACTER_DEVICE));
            case BLOCK_DEVICE -> put(parent, name, special(entry, SpecialFile.Kind.BLOCK_DEVICE));
            case FIFO -> put(parent, name, special(entry, SpecialFile.Kind.FIFO));
        }
    }

    private void directory(Directory parent, Bytes name, @Nullable Inode replaced, TarEntry entry) {
        if (replaced instanceof Directory directory) {
            directory.attributes(attributes(entry, LayerFormat.opaque(directory)));
        } else {
            put(parent, name, new Directory(attributes(entry, replaced != null)));
        }
    }

    private void whiteout(Directory parent, Bytes name) {
        if (name.equals(WHITEOUT_OPAQUE)) {
            makeOpaque(parent);
            return;
        }
        if (name.startsWith(WHITEOUT_META)) {
            // Book-keeping of aufs, without meaning for the image.
            return;
        }
        Bytes target = name.slice(WHITEOUT.length(), name.length());
        if (!Directory.nameable(target)) {
            throw new CorruptArchiveException("the whiteout " + name + " names no file");
        }
        Inode own = parent.get(target);
        if (own == null) {
            put(parent, target, new SpecialFile(Attributes.ofRoot(0), SpecialFile.Kind.CHARACTER_DEVICE, 0, 0));
        } else if (own instanceof Directory directory) {
            // A whiteout speaks of the layers below, wherever it stands in its own.
            makeOpaque(directory);
        }
    }

    private static void makeOpaque(Directory directory) {
        Attributes attributes = directory.attributes();
        directory.attributes(attributes.withXattrs(attributes.xattrs().with(LayerFormat.OPAQUE, LayerFormat.YES)));
    }

    private Inode linkTarget(TarEntry entry) {
        List<Bytes> names = PathNames.of(entry.linkTarget(), limits.maxDepth());
        if (names.isEmpty()) {
            throw new CorruptArchiveException("the hard link " + entry.path() + " is to a directory");
        }
        PathWalk.Place parent = looking.place(names.subList(0, names.size() - 1));
        if (parent == null) {
            throw new CorruptArchiveException(
                    "the hard link " + entry.path() + " goes through too many links or directories");
        }
        Inode target = parent.directory().get(names.getLast());
        if (target instanceof Directory) {
            throw new CorruptArchiveException("the hard link " + entry.path() + " is to a directory");
        }
        if (target != null && !LayerFormat.whiteout(target)) {
            return target;
        }
        List<Bytes> resolved = new ArrayList<>(parent.names());
        resolved.add(names.getLast());
        Bytes path = PathNames.join(resolved);
        if (path.length() > limits.maxPathBytes()) {
            throw new CorruptArchiveException("a path has more than " + limits.maxPathBytes() + " bytes");
        }
        Xattrs link = Xattrs.NONE.with(LayerFormat.LINK, path);
        return new RegularFile(Attributes.ofRoot(0).withXattrs(link), FileData.empty());
    }

    private Symlink symlink(TarEntry entry) {
        Bytes target = entry.linkTarget();
        if (target.isEmpty() || target.length() > Symlink.MAX_TARGET) {
            throw new CorruptArchiveException("the symbolic link " + entry.path() + " has an impossible target");
        }
        // Linux has no other permissions for links, even if an archive says so.
        Attributes attributes = attributes(entry, false);
        return new Symlink(
                new Attributes(
                        0777,
                        attributes.uid(),
                        attributes.gid(),
                        attributes.seconds(),
                        attributes.nanos(),
                        attributes.xattrs()),
                target);
    }

    private SpecialFile special(TarEntry entry, SpecialFile.Kind kind) {
        if (entry.major() < 0
                || entry.major() > SpecialFile.MAX_MAJOR
                || entry.minor() < 0
                || entry.minor() > SpecialFile.MAX_MINOR) {
            throw new CorruptArchiveException("the device " + entry.path() + " has an impossible number");
        }
        return new SpecialFile(attributes(entry, false), kind, (int) entry.major(), (int) entry.minor());
    }

    private Attributes attributes(TarEntry entry, boolean opaque) {
        Map<Bytes, Bytes> xattrs = new HashMap<>();
        entry.xattrs().forEach((name, value) -> {
            if (Xattrs.representable(name, value) && !LayerFormat.reserved(name)) {
                xattrs.put(name, value);
            } else {
                droppedXattrs++;
            }
        });
        if (opaque) {
            xattrs.put(LayerFormat.OPAQUE, LayerFormat.YES);
        }
        Xattrs checked;
        try {
            checked = Xattrs.of(xattrs);
        } catch (IllegalArgumentException tooMany) {
            throw new CorruptArchiveException("the entry " + entry.path() + " has too many extended attributes");
        }
        TarNumbers.Time modified = entry.modified();
        return new Attributes(
                entry.permissions(), entry.uid(), entry.gid(), modified.seconds(), modified.nanos(), checked);
    }

    private static Attributes implied() {
        return Attributes.ofRoot(IMPLIED_PERMISSIONS)
                .withXattrs(Xattrs.NONE.with(LayerFormat.IMPLIED, LayerFormat.YES));
    }

    private void put(Directory parent, Bytes name, Inode inode) {
        parent.put(name, inode);
        countEntry();
    }

    /**
     * Counts every entry, also one that replaces another, so that an archive that keeps on replacing does not get past the limit.
     */
    private void countEntry() {
        entries++;
        if (entries > limits.maxEntries()) {
            throw new CorruptArchiveException("it has more than " + limits.maxEntries() + " entries");
        }
    }

    private void account(TarEntry entry) {
        metadataBytes += entry.path().length()
                + entry.linkTarget().length()
                + SEGMENT_BYTES * entry.segments().size();
        entry.xattrs().forEach((name, value) -> metadataBytes += name.length() + value.length());
        if (metadataBytes > limits.maxMetadataBytes()) {
            throw new CorruptArchiveException(
                    "its names and attributes have more than " + limits.maxMetadataBytes() + " bytes");
        }
    }

    /** Makes a parent that is missing. */
    private Directory made(Directory parent, Bytes name, @Nullable Inode found) {
        if (found != null && !LayerFormat.whiteout(found)) {
            throw new CorruptArchiveException("a path goes through " + name + ", which is no directory");
        }
        Directory made = new Directory(implied());
        if (found != null) {
            makeOpaque(made);
        }
        put(parent, name, made);
        return made;
    }
}
