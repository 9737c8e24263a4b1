package dev.cloche.vm.testing;

import dev.cloche.vm.FileWatch;
import dev.cloche.vm.GuestFileException;
import dev.cloche.vmm.protocol.FileEntry;
import dev.cloche.vmm.protocol.FileError;
import dev.cloche.vmm.protocol.FileRecordWriter;
import dev.cloche.vmm.protocol.FileRequest;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** WATCH, in an in-memory guest: tells what differs from one look at the tree to the next. */
final class InMemoryWatch {
    private final InMemoryTree tree;
    private final FileRequest request;
    private final InMemoryTree.User user;

    /** Has a file, and what it was. */
    private record Seen(InMemoryNode node, FileEntry entry) {}

    InMemoryWatch(InMemoryTree tree, FileRequest request, InMemoryTree.User user) {
        this.tree = tree;
        this.request = request;
        this.user = user;
    }

    void run(FileRecordWriter out) throws IOException {
        Map<String, Seen> before = InMemoryFileOperation.locked(tree, this::look);
        out.ready();
        while (true) {
            Map<String, Seen> known = before;
            Optional<Map<String, Seen>> now = InMemoryFileOperation.locked(tree, () -> awaitChange(known));
            if (now.isEmpty()) {
                out.event(FileWatch.Change.REMOVED, "", Optional.empty());
                return;
            }
            tell(known, now.get(), out);
            out.flush();
            before = now.get();
        }
    }

    private Map<String, Seen> look() throws FileError {
        InMemoryNode top = tree.find(request.path(), true, user);
        if (!top.isDirectory()) {
            throw new FileError(GuestFileException.NotDirectory.ERRNO, request.path());
        }
        Map<String, Seen> found = new TreeMap<>();
        collect(top, "", found);
        return found;
    }

    private void collect(InMemoryNode directory, String prefix, Map<String, Seen> found) {
        directory.children.forEach((name, node) -> {
            found.put(prefix + name, new Seen(node, node.entry(prefix + name)));
            if ((request.flags() & FileRequest.BELOW) != 0) {
                collect(node, prefix + name + "/", found);
            }
        });
    }

    /** Returns what is there once it is not what was; empty if the directory is not there any more. */
    private Optional<Map<String, Seen>> awaitChange(Map<String, Seen> before) throws InterruptedException {
        try {
            Map<String, Seen> now = look();
            while (now.equals(before)) {
                tree.used().await();
                now = look();
            }
            return Optional.of(now);
        } catch (FileError gone) {
            return Optional.empty();
        }
    }

    private void tell(Map<String, Seen> before, Map<String, Seen> now, FileRecordWriter out) throws IOException {
        for (Map.Entry<String, Seen> old : before.entrySet()) {
            if (!isSame(old.getValue(), now.get(old.getKey()))) {
                boolean renamed = now.values().stream()
                        .anyMatch(seen -> seen.node() == old.getValue().node());
                FileWatch.Change change = renamed ? FileWatch.Change.RENAMED : FileWatch.Change.REMOVED;
                out.event(change, old.getKey(), Optional.empty());
            }
        }
        for (Map.Entry<String, Seen> current : now.entrySet()) {
            Seen seen = current.getValue();
            Seen old = before.get(current.getKey());
            if (old == null || !isSame(old, seen)) {
                tellOf(FileWatch.Change.CREATED, seen, out);
            } else if (!old.equals(seen)) {
                boolean written = old.entry().mode() == seen.entry().mode();
                tellOf(written ? FileWatch.Change.WRITTEN : FileWatch.Change.ATTRIBUTES, seen, out);
            }
        }
    }

    private static boolean isSame(Seen old, @Nullable Seen now) {
        return now != null && now.node() == old.node();
    }

    private void tellOf(FileWatch.Change change, Seen seen, FileRecordWriter out) throws IOException {
        boolean entries = (request.flags() & FileRequest.ENTRIES) != 0;
        out.event(change, seen.entry().name(), entries ? Optional.of(seen.entry()) : Optional.empty());
    }
}
