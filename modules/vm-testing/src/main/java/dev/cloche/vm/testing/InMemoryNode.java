package dev.cloche.vm.testing;

import dev.cloche.vm.FileKind;
import dev.cloche.vmm.protocol.FileEntry;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/** A file of an in-memory guest. Guarded by the lock of its {@link InMemoryTree}. */
final class InMemoryNode {
    static final int READ = 4;
    static final int WRITE = 2;
    static final int SEARCH = 1;

    final FileKind kind;
    final Map<String, InMemoryNode> children = new TreeMap<>();
    final SparseBytes content = new SparseBytes();
    final String target;
    int mode;
    int uid;
    int gid;
    Instant modified = Instant.now();

    InMemoryNode(FileKind kind, int mode, InMemoryTree.User user, String target) {
        this.kind = kind;
        this.mode = mode;
        uid = user.uid();
        gid = user.gid();
        this.target = target;
    }

    /** Takes over all that another node of its kind and target has. */
    void become(InMemoryNode other) {
        mode = other.mode;
        uid = other.uid;
        gid = other.gid;
        modified = other.modified;
        content.become(other.content);
        children.clear();
        other.children.forEach((name, child) -> {
            InMemoryNode copy = new InMemoryNode(child.kind, child.mode, InMemoryTree.User.ROOT, child.target);
            copy.become(child);
            children.put(name, copy);
        });
    }

    boolean isDirectory() {
        return kind == FileKind.DIRECTORY;
    }

    boolean allows(InMemoryTree.User user, int wanted) {
        int shift = user.uid() == uid ? 6 : user.gid() == gid ? 3 : 0;
        return user.uid() == 0 || (mode >> shift & wanted) == wanted;
    }

    void touch() {
        modified = Instant.now();
    }

    FileEntry entry(String name) {
        long size = kind == FileKind.FILE ? content.size() : target.length();
        return new FileEntry(kind, mode, uid, gid, size, modified, 0, 0, name, target);
    }
}
