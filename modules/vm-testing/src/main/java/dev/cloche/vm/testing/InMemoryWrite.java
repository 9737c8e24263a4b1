package dev.cloche.vm.testing;

import dev.cloche.vm.FileKind;
import dev.cloche.vm.GuestFileException;
import dev.cloche.vmm.protocol.FileError;
import dev.cloche.vmm.protocol.FileRecord;
import dev.cloche.vmm.protocol.FileRecordReader;
import dev.cloche.vmm.protocol.FileRequest;
import java.io.IOException;
import java.util.Optional;

/** WRITE, in an in-memory guest. */
final class InMemoryWrite {
    private final InMemoryTree tree;
    private final FileRequest request;
    private final InMemoryTree.User user;

    /** @param made whether the operation has made the file, and so removes it when it is given up */
    private record Open(InMemoryNode file, InMemoryTree.Place place, boolean made) {}

    InMemoryWrite(InMemoryTree tree, FileRequest request, InMemoryTree.User user) {
        this.tree = tree;
        this.request = request;
        this.user = user;
    }

    void run(FileRecordReader in) throws IOException {
        Open open = InMemoryFileOperation.locked(tree, this::open);
        boolean complete = false;
        try {
            boolean append = (request.flags() & FileRequest.APPEND) != 0;
            long base = append
                    ? InMemoryFileOperation.locked(
                            tree, () -> open.file().content.size())
                    : 0;
            Optional<FileRecord> record = in.next();
            while (record.isPresent() && record.get() instanceof FileRecord.Data data) {
                InMemoryFileOperation.locked(tree, () -> store(tree, open.file(), base, data, request.path()));
                record = in.next();
            }
            if (record.isEmpty() || !(record.get() instanceof FileRecord.Done)) {
                throw new FileError(GuestFileException.Other.IO, request.path());
            }
            complete = true;
        } finally {
            if (!complete && open.made()) {
                // Not interruptible: a killed operation cleans up, too.
                tree.lock().lock();
                try {
                    open.place().remove(user);
                } finally {
                    tree.used().signalAll();
                    tree.lock().unlock();
                }
            }
        }
    }

    private Open open() throws FileError {
        InMemoryTree.Place place = tree.place(request.path(), true, user);
        boolean made = !place.taken();
        if (made) {
            place.put(new InMemoryNode(FileKind.FILE, request.mode(), user, ""), user);
        } else if ((request.flags() & FileRequest.EXCLUSIVE) != 0) {
            throw new FileError(GuestFileException.FileExists.ERRNO, request.path());
        }
        InMemoryNode file = place.existing();
        if (file.isDirectory()) {
            throw new FileError(GuestFileException.IsDirectory.ERRNO, request.path());
        }
        if (!made && !file.allows(user, InMemoryNode.WRITE)) {
            throw new FileError(FileError.PERMISSION, request.path());
        }
        if ((request.flags() & FileRequest.TRUNCATE) != 0) {
            file.content.setSize(0);
        }
        file.touch();
        return new Open(file, place, made);
    }

    static boolean store(InMemoryTree tree, InMemoryNode file, long base, FileRecord.Data data, String path)
            throws FileError {
        if (!tree.reserve(data.bytes().remaining(), file)) {
            throw new FileError(GuestFileException.NoSpace.ERRNO, path);
        }
        file.content.write(base + data.offset(), data.bytes());
        file.touch();
        return true;
    }
}
