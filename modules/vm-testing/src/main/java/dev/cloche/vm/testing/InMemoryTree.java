package dev.cloche.vm.testing;

import dev.cloche.vm.FileKind;
import dev.cloche.vm.GuestFileException;
import dev.cloche.vmm.protocol.FileError;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The files of an in-memory guest. Every use of it and its nodes holds {@link #lock()}, except what a node does not share
 * yet.
 */
final class InMemoryTree {
    /** What all files together may hold. */
    static final long CAPACITY = 128L << 20;

    private static final int NO_SUCH_FILE = GuestFileException.NoSuchFile.ERRNO;
    private static final int NOT_DIRECTORY = GuestFileException.NotDirectory.ERRNO;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition used = lock.newCondition();
    /** Never too little; counted anew only when it reaches the capacity. */
    private long usedAtMost;

    private final InMemoryNode root = new InMemoryNode(FileKind.DIRECTORY, 0755, User.ROOT, "");

    /** Whose rights count. */
    record User(int uid, int gid) {
        static final User ROOT = new User(0, 0);
    }

    /** Describes a directory, and a name in it that may be missing. */
    record Place(InMemoryNode directory, String name, String path) {
        InMemoryNode existing() throws FileError {
            InMemoryNode node = directory.children.get(name);
            if (node == null) {
                throw new FileError(NO_SUCH_FILE, path);
            }
            return node;
        }

        boolean taken() {
            return directory.children.containsKey(name);
        }

        void put(InMemoryNode node, User user) throws FileError {
            writable(user);
            directory.children.put(name, node);
            directory.touch();
        }

        void remove(User user) throws FileError {
            writable(user);
            directory.children.remove(name);
            directory.touch();
        }

        private void writable(User user) throws FileError {
            if (!directory.allows(user, InMemoryNode.WRITE)) {
                throw new FileError(FileError.PERMISSION, path);
            }
        }
    }

    InMemoryTree() {
        for (String name : List.of("tmp", "root", "etc")) {
            root.children.put(
                    name, new InMemoryNode(FileKind.DIRECTORY, name.equals("tmp") ? 01777 : 0755, User.ROOT, ""));
        }
    }

    /** Returns all of it as it is now, for another guest. */
    InMemoryTree copy() {
        InMemoryTree copy = new InMemoryTree();
        lock.lock();
        try {
            copy.root.become(root);
            copy.usedAtMost = usedAtMost;
            return copy;
        } finally {
            lock.unlock();
        }
    }

    ReentrantLock lock() {
        return lock;
    }

    /** Returns what is signalled after each use that may have changed something. */
    Condition used() {
        return used;
    }

    /** Returns whether there is room for some more bytes in a file, which need not be in the tree yet. */
    boolean reserve(int bytes, InMemoryNode file) {
        usedAtMost += bytes + SparseBytes.PAGE;
        if (usedAtMost > CAPACITY) {
            usedAtMost = used(root) + file.content.allocated() + bytes + SparseBytes.PAGE;
        }
        return usedAtMost <= CAPACITY;
    }

    private static long used(InMemoryNode node) {
        long sum = node.content.allocated();
        for (InMemoryNode child : node.children.values()) {
            sum += used(child);
        }
        return sum;
    }

    /** Returns the node that a path leads to. */
    InMemoryNode find(String path, boolean followLast, User user) throws FileError {
        if (parts(path).isEmpty()) {
            return root;
        }
        return place(path, followLast, user).existing();
    }

    /** Where a path's last part is or would be; of a link that is followed, where that leads. */
    Place place(String path, boolean followLast, User user) throws FileError {
        Deque<String> left = parts(path);
        Deque<InMemoryNode> way = new ArrayDeque<>(List.of(root));
        int links = 0;
        boolean followAll = followLast || path.endsWith("/") || path.endsWith("/.");
        while (!left.isEmpty()) {
            String part = left.removeFirst();
            InMemoryNode directory = way.getLast();
            if (!directory.isDirectory()) {
                throw new FileError(NOT_DIRECTORY, path);
            }
            if (!directory.allows(user, InMemoryNode.SEARCH)) {
                throw new FileError(FileError.PERMISSION, path);
            }
            if (part.equals("..")) {
                if (way.size() > 1) {
                    way.removeLast();
                }
                continue;
            }
            InMemoryNode next = directory.children.get(part);
            if (next != null && next.kind == FileKind.SYMBOLIC_LINK && (followAll || !left.isEmpty())) {
                if (++links > FileError.MAX_LINKS) {
                    throw new FileError(FileError.LOOP, path);
                }
                parts(next.target).descendingIterator().forEachRemaining(left::addFirst);
                if (next.target.startsWith("/")) {
                    way.clear();
                    way.add(root);
                }
            } else if (left.isEmpty()) {
                return new Place(directory, part, path);
            } else if (next == null) {
                throw new FileError(NO_SUCH_FILE, path);
            } else {
                way.addLast(next);
            }
        }
        throw new FileError(GuestFileException.IsDirectory.ERRNO, path);
    }

    private static Deque<String> parts(String path) {
        Deque<String> parts = new ArrayDeque<>(Arrays.asList(path.split("/", -1)));
        parts.removeIf(part -> part.isEmpty() || part.equals("."));
        return parts;
    }
}
