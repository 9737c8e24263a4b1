package dev.cloche.image.layer;

import dev.cloche.erofs.Attributes;
import dev.cloche.erofs.Bytes;
import dev.cloche.erofs.Directory;
import dev.cloche.erofs.Inode;
import dev.cloche.erofs.RegularFile;
import dev.cloche.erofs.SpecialFile;
import dev.cloche.erofs.Symlink;
import dev.cloche.image.CorruptArchiveException;
import dev.cloche.image.ImageLimits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lays layers over each other, the lowest first, and so makes the tree that a container sees. What {@link LayerFormat}
 * says about lower layers is applied and then gone.
 */
public final class LayerMerge {
    /** What is not there is not made. */
    private static final PathWalk.Policy FOLLOWING = (_, _, _) -> null;

    private final ImageLimits limits;
    private final Directory root = new Directory(Attributes.ofRoot(0755));
    private long entries;
    private long metadataBytes;

    /** @param limits of which those on an image's entries hold here */
    public LayerMerge(ImageLimits limits) {
        this.limits = limits;
    }

    public Directory root() {
        return root;
    }

    /**
     * Adds the next higher layer, whose tree is taken over.
     *
     * @param firstBlock where the layer begins on the disk, in blocks behind the merged metadata
     * @throws CorruptArchiveException if a hard link has no target, or the layers together have too many entries
     */
    public void add(Directory layer, long firstBlock) {
        // Links are resolved before anything is changed: they are to what the lower layers had.
        Layer added = new Layer(layer, firstBlock);
        added.findLinks();
        added.merge();
    }

    private @Nullable Inode lookup(Directory within, Bytes path) {
        List<Bytes> names = PathNames.split(path);
        if (names.isEmpty()) {
            return null;
        }
        Directory parent = new PathWalk(within, FOLLOWING).directory(names.subList(0, names.size() - 1));
        return parent == null ? null : parent.get(names.getLast());
    }

    private static void takeAttributes(Directory from, Directory into) {
        Attributes attributes = from.attributes();
        into.attributes(attributes.withXattrs(attributes.xattrs().without(LayerFormat::reserved)));
    }

    private final class Layer {
        private final Directory layer;
        private final long firstBlock;
        /** Of every file with several links one copy, so that it stays one; and the targets of links to below. */
        private final Map<Inode, Inode> copies = new HashMap<>();

        private final Deque<Pair> pending = new ArrayDeque<>();

        private Layer(Directory layer, long firstBlock) {
            this.layer = layer;
            this.firstBlock = firstBlock;
        }

        private void findLinks() {
            List<Directory> directories = new ArrayList<>(List.of(layer));
            for (int next = 0; next < directories.size(); next++) {
                for (Map.Entry<Bytes, Inode> entry :
                        directories.get(next).children().entrySet()) {
                    Inode child = entry.getValue();
                    Bytes link = child.attributes().xattrs().get(LayerFormat.LINK);
                    account(entry.getKey(), child);
                    if (child instanceof Directory directory) {
                        directories.add(directory);
                    } else if (link != null) {
                        copies.put(child, target(link));
                    }
                }
            }
        }

        private Inode target(Bytes path) {
            Inode below = lookup(root, path);
            if (below != null && !(below instanceof Directory)) {
                return below;
            }
            Inode own = lookup(layer, path);
            if (own == null || own instanceof Directory || LayerFormat.whiteout(own) || isLink(own)) {
                throw new CorruptArchiveException("the target " + path + " of a hard link is in no layer");
            }
            // The archive had the link before its target.
            return copies.computeIfAbsent(own, this::shifted);
        }

        private void merge() {
            pending.add(new Pair(layer, root, List.of()));
            for (Pair pair = pending.poll(); pair != null; pair = pending.poll()) {
                if (!LayerFormat.implied(pair.upper)) {
                    takeAttributes(pair.upper, pair.lower);
                }
                if (LayerFormat.opaque(pair.upper)) {
                    pair.lower.clear();
                }
                for (Map.Entry<Bytes, Inode> child : pair.upper.children().entrySet()) {
                    put(pair, child.getKey(), child.getValue());
                }
            }
        }

        private void put(Pair into, Bytes name, Inode upper) {
            if (upper instanceof Directory directory) {
                List<Bytes> path = new ArrayList<>(into.path);
                path.add(name);
                pending.add(new Pair(directory, below(into.lower, path, directory), path));
            } else if (LayerFormat.whiteout(upper)) {
                into.lower.remove(name);
            } else {
                into.lower.put(name, copies.computeIfAbsent(upper, this::shifted));
            }
        }

        /**
         * Returns the merged directory for one of this layer; an implied one may be reached through a link of a lower layer.
         */
        private Directory below(Directory parent, List<Bytes> path, Directory upper) {
            Bytes name = path.getLast();
            Inode lower = parent.get(name);
            if (lower instanceof Directory existing) {
                return existing;
            }
            if (lower instanceof Symlink && LayerFormat.implied(upper) && !LayerFormat.opaque(upper)) {
                Directory linked = new PathWalk(root, FOLLOWING).directory(path);
                if (linked != null) {
                    return linked;
                }
            }
            Directory made = new Directory(Attributes.ofRoot(0755));
            parent.put(name, made);
            return made;
        }

        private Inode shifted(Inode inode) {
            return switch (inode) {
                case RegularFile file ->
                    new RegularFile(plain(file), file.data().shiftedBy(firstBlock));
                case Symlink _, SpecialFile _ -> inode;
                case Directory _ -> throw new IllegalStateException("directories are merged, not copied");
            };
        }

        private static Attributes plain(RegularFile file) {
            Attributes attributes = file.attributes();
            return attributes.withXattrs(attributes.xattrs().without(LayerFormat::reserved));
        }
    }

    /** Each layer is bounded when it is read; many of them could be too much for one tree. */
    private void account(Bytes name, Inode inode) {
        entries++;
        metadataBytes += name.length();
        if (inode instanceof Symlink link) {
            metadataBytes += link.target().length();
        }
        inode.attributes().xattrs().forEach((key, value) -> metadataBytes += key.length() + value.length());
        if (entries > limits.entries()) {
            throw new CorruptArchiveException("its layers together have more than " + limits.entries() + " entries");
        }
        if (metadataBytes > limits.metadataBytes()) {
            throw new CorruptArchiveException("the names and attributes of its layers have more than "
                    + limits.metadataBytes() + " bytes together");
        }
    }

    private static boolean isLink(Inode inode) {
        return inode.attributes().xattrs().get(LayerFormat.LINK) != null;
    }

    /** Describes a directory of the layer, the merged one that it goes into, and its path. */
    private record Pair(Directory upper, Directory lower, List<Bytes> path) {}
}
