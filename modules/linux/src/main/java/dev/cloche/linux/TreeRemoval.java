package dev.cloche.linux;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Removes a directory with all that is in it, below descriptors of the directories that were really met: a link is removed
 * and never followed, also one that appears meanwhile. What others have removed already is not missed.
 *
 * <p>A tree so deep that its directories cannot all be open is a {@link SystemCallException}.
 */
public final class TreeRemoval {
    private TreeRemoval() {}

    /**
     * Removes what has this name in {@code parent}, be it a directory or not.
     *
     * @param last of the names in the directory itself, the one that is removed after all others; a lock, for example
     * @return false if it is there still, because another process has put something into it since {@code last} went
     * @throws SystemCallException if something resists
     */
    public static boolean remove(DirectoryHandle parent, String name, String last) {
        Optional<FileStatus> status = parent.status(name);
        if (status.isEmpty()) {
            return true;
        }
        if (!status.get().isDirectory()) {
            gone(() -> parent.removeFile(name));
            return true;
        }
        try (DirectoryHandle directory = parent.openDirectory(name)) {
            for (String entry : directory.names()) {
                if (!entry.equals(last)) {
                    removeBelow(directory, entry);
                }
            }
            removeBelow(directory, last);
        } catch (SystemCallException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
        }
        try {
            gone(() -> parent.removeDirectory(name));
            return true;
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOTEMPTY) {
                return false;
            }
            throw e;
        }
    }

    /** Describes a directory that is being emptied. */
    private record Level(DirectoryHandle parent, String name, DirectoryHandle directory, Deque<String> left) {
        static Optional<Level> open(DirectoryHandle parent, String name) {
            if (parent.status(name).filter(FileStatus::isDirectory).isEmpty()) {
                gone(() -> parent.removeFile(name));
                return Optional.empty();
            }
            DirectoryHandle directory = parent.openDirectory(name);
            try {
                List<String> names = directory.names();
                return Optional.of(new Level(parent, name, directory, new ArrayDeque<>(names)));
            } catch (RuntimeException e) {
                directory.close();
                throw e;
            }
        }
    }

    /** Without recursion, so that no depth of the tree is the stack's. */
    private static void removeBelow(DirectoryHandle parent, String name) {
        Deque<Level> open = new ArrayDeque<>();
        try {
            Level.open(parent, name).ifPresent(open::push);
            while (!open.isEmpty()) {
                Level level = open.element();
                String next = level.left().poll();
                if (next != null) {
                    Level.open(level.directory(), next).ifPresent(open::push);
                } else {
                    open.pop().directory().close();
                    gone(() -> level.parent().removeDirectory(level.name()));
                }
            }
        } finally {
            open.forEach(level -> level.directory().close());
        }
    }

    private static void gone(Runnable removal) {
        try {
            removal.run();
        } catch (SystemCallException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
        }
    }
}
