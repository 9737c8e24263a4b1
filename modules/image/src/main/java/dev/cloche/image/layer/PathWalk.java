package dev.cloche.image.layer;

import dev.cloche.erofs.Bytes;
import dev.cloche.erofs.Directory;
import dev.cloche.erofs.Inode;
import dev.cloche.erofs.Symlink;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Follows a path to a directory of a tree in memory, through symbolic links as a kernel would; nothing outside of the
 * tree exists for it.
 */
final class PathWalk {
    /** As Linux has it. */
    private static final int MAX_LINKS = 40;

    /** Links allow directories that no path names at once; Linux could not use deeper ones either (PATH_MAX). */
    private static final int MAX_DEPTH = 2048;

    private final Directory root;
    private final Policy policy;

    /** Says what to do where trees differ from archives. */
    @FunctionalInterface
    interface Policy {
        /** Returns the directory for {@code name}, where {@code found} is none (or nothing); {@code null} gives up. */
        @Nullable
        Directory missing(Directory parent, Bytes name, @Nullable Inode found);
    }

    /**
     * Says where a path ends.
     *
     * @param names that lead there without any link
     */
    record Place(Directory directory, List<Bytes> names) {}

    PathWalk(Directory root, Policy policy) {
        this.root = root;
        this.policy = policy;
    }

    /**
     * Returns the directory at the end of {@code names}, or {@code null} if the policy gave up, links go in a circle, or the
     * directory is nested too deep.
     */
    @Nullable
    Directory directory(List<Bytes> names) {
        Place place = place(names);
        return place == null ? null : place.directory();
    }

    /** Returns the same, with the names that lead there. */
    @Nullable
    Place place(List<Bytes> names) {
        Deque<Bytes> left = new ArrayDeque<>(names);
        Deque<Directory> path = new ArrayDeque<>();
        List<Bytes> followed = new ArrayList<>();
        path.push(root);
        int links = 0;
        for (Bytes name = left.poll(); name != null; name = left.poll()) {
            if (PathNames.isDotDot(name)) {
                // The root is above itself.
                if (path.size() > 1) {
                    path.pop();
                    followed.removeLast();
                }
                continue;
            }
            if (path.size() > MAX_DEPTH) {
                return null;
            }
            Directory parent = path.element();
            Inode found = parent.get(name);
            if (found instanceof Directory directory) {
                path.push(directory);
                followed.add(name);
            } else if (found instanceof Symlink link) {
                links++;
                if (links > MAX_LINKS) {
                    return null;
                }
                if (PathNames.absolute(link.target())) {
                    path.clear();
                    path.push(root);
                    followed.clear();
                }
                PathNames.split(link.target()).reversed().forEach(left::push);
            } else {
                Directory made = policy.missing(parent, name, found);
                if (made == null) {
                    return null;
                }
                path.push(made);
                followed.add(name);
            }
        }
        return new Place(path.element(), followed);
    }
}
