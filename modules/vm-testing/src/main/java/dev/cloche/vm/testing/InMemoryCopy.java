package dev.cloche.vm.testing;

import dev.cloche.vm.FileKind;
import dev.cloche.vm.GuestFileException;
import dev.cloche.vmm.protocol.FileEntry;
import dev.cloche.vmm.protocol.FileError;
import dev.cloche.vmm.protocol.FileRecord;
import dev.cloche.vmm.protocol.FileRecordReader;
import dev.cloche.vmm.protocol.FileRecordWriter;
import dev.cloche.vmm.protocol.FileRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** COPY_OUT and COPY_IN, in an in-memory guest. */
final class InMemoryCopy {
    private final InMemoryTree tree;
    private final FileRequest request;
    private final InMemoryTree.User user;
    /** What a directory that was made shall be in the end. */
    private final Map<InMemoryNode, FileEntry> made = new LinkedHashMap<>();

    private @Nullable InMemoryNode file;
    private @Nullable FileEntry fileEntry;

    InMemoryCopy(InMemoryTree tree, FileRequest request, InMemoryTree.User user) {
        this.tree = tree;
        this.request = request;
        this.user = user;
    }

    void out(FileRecordWriter out) throws IOException {
        boolean follow = (request.flags() & FileRequest.FOLLOW) != 0;
        InMemoryNode node = InMemoryFileOperation.locked(tree, () -> tree.find(request.path(), follow, user));
        send(node, "", out);
    }

    private void send(InMemoryNode node, String name, FileRecordWriter out) throws IOException {
        FileEntry entry = InMemoryFileOperation.locked(tree, () -> node.entry(name));
        if (!node.allows(user, node.isDirectory() ? InMemoryNode.READ | InMemoryNode.SEARCH : InMemoryNode.READ)) {
            throw new FileError(FileError.PERMISSION, name.isEmpty() ? request.path() : name);
        }
        out.entry(entry);
        if (node.kind == FileKind.FILE) {
            content(node, entry.size(), out);
        }
        Map<String, InMemoryNode> children =
                InMemoryFileOperation.locked(tree, () -> new LinkedHashMap<>(node.children));
        for (Map.Entry<String, InMemoryNode> child : children.entrySet()) {
            send(child.getValue(), name.isEmpty() ? child.getKey() : name + "/" + child.getKey(), out);
        }
    }

    private void content(InMemoryNode node, long size, FileRecordWriter out) throws IOException {
        long at = InMemoryFileOperation.locked(tree, () -> node.content.nextData(0));
        while (at < size) {
            long from = at;
            byte[] chunk = InMemoryFileOperation.locked(tree, () -> {
                long end = Math.min(node.content.endOfData(from), size);
                return node.content.read(from, Math.clamp(end - from, 0, FileRecordWriter.CHUNK));
            });
            if (chunk.length == 0) {
                return;
            }
            out.data(at, ByteBuffer.wrap(chunk));
            long after = at + chunk.length;
            at = InMemoryFileOperation.locked(tree, () -> node.content.nextData(after));
        }
    }

    void in(FileRecordReader in) throws IOException {
        Optional<FileRecord> record = in.next();
        while (record.isPresent() && !(record.get() instanceof FileRecord.Done)) {
            switch (record.get()) {
                case FileRecord.Entry(FileEntry entry) -> {
                    completeFile();
                    InMemoryFileOperation.locked(tree, () -> begin(entry));
                }
                case FileRecord.Data data -> InMemoryFileOperation.locked(tree, () -> append(data));
                default -> throw new FileError(GuestFileException.Other.IO, request.path());
            }
            record = in.next();
        }
        if (record.isEmpty()) {
            throw new FileError(GuestFileException.Other.IO, request.path());
        }
        completeFile();
        InMemoryFileOperation.locked(tree, () -> {
            new ArrayList<>(made.keySet()).reversed().forEach(node -> finish(node, made.get(node)));
            return true;
        });
    }

    private boolean begin(FileEntry entry) throws FileError {
        InMemoryTree.Place place = placeOf(entry);
        switch (entry.kind()) {
            case DIRECTORY -> {
                if (place.taken() && place.existing().isDirectory()) {
                    return true;
                }
                InMemoryNode directory = new InMemoryNode(FileKind.DIRECTORY, 0700, user, "");
                if (place.taken()) {
                    place.remove(user);
                }
                place.put(directory, user);
                made.put(directory, entry);
            }
            case FILE -> {
                file = new InMemoryNode(FileKind.FILE, 0600, user, "");
                fileEntry = entry;
            }
            case SYMBOLIC_LINK -> {
                InMemoryNode link = new InMemoryNode(FileKind.SYMBOLIC_LINK, 0777, user, entry.linkTarget());
                put(place, link);
                finish(link, entry);
            }
            default -> throw new FileError(GuestFileException.Other.INVALID, place.path());
        }
        return true;
    }

    private InMemoryTree.Place placeOf(FileEntry entry) throws FileError {
        String path = entry.name().isEmpty() ? request.path() : request.path() + "/" + entry.name();
        return tree.place(path, false, user);
    }

    private void put(InMemoryTree.Place place, InMemoryNode node) throws FileError {
        if (place.taken() && !place.existing().children.isEmpty()) {
            throw new FileError(GuestFileException.NotEmpty.ERRNO, place.path());
        }
        place.put(node, user);
    }

    private boolean append(FileRecord.Data data) throws FileError {
        InMemoryNode open = file;
        FileEntry entry = fileEntry;
        if (open == null || entry == null || data.offset() + data.bytes().remaining() > entry.size()) {
            throw new FileError(GuestFileException.Other.INVALID, request.path());
        }
        return InMemoryWrite.store(tree, open, 0, data, request.path());
    }

    private void completeFile() throws IOException {
        InMemoryNode open = file;
        FileEntry entry = fileEntry;
        file = null;
        if (open != null && entry != null) {
            InMemoryFileOperation.locked(tree, () -> {
                open.content.setSize(entry.size());
                put(placeOf(entry), open);
                finish(open, entry);
                return true;
            });
        }
    }

    private void finish(InMemoryNode node, @Nullable FileEntry entry) {
        if (entry == null) {
            return;
        }
        if ((request.flags() & FileRequest.OWNERS) != 0) {
            node.uid = entry.uid();
            node.gid = entry.gid();
        }
        node.mode = entry.mode();
        node.modified = entry.modified();
    }
}
