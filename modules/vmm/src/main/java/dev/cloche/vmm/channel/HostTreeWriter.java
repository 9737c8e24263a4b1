package dev.cloche.vmm.channel;

import dev.cloche.linux.DirectoryHandle;
import dev.cloche.linux.FileStatus;
import dev.cloche.linux.SystemCallException;
import dev.cloche.vm.CopyListener;
import dev.cloche.vm.CopyOptions;
import dev.cloche.vm.CopyReport;
import dev.cloche.vm.FileKind;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.protocol.FileEntry;
import dev.cloche.vmm.protocol.FileRecord;
import dev.cloche.vmm.protocol.GuestPaths;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes on the host what a guest's records say, and nothing outside of the destination: every name is one part, made or
 * looked up in a directory that is open already, and no link is followed there. For one copy, on one thread.
 */
final class HostTreeWriter {
    private final CopyTarget target;
    private final CopyCounter counter;
    private final CopyOptions options;
    /** The directories from the destination down to the present one. */
    private final Deque<OpenDirectory> path = new ArrayDeque<>();

    private @Nullable IncomingFile file;
    private boolean begun;

    /** Says where records come from; FAILED is thrown. */
    interface Source {
        FileRecord next();
    }

    /** @throws VmException.Invalid if the options ask for what only root can do */
    HostTreeWriter(Path destination, CopyOptions options, CopyListener listener) {
        target = CopyTarget.of(destination);
        this.options = options;
        counter = new CopyCounter(options, listener);
        if (options.owners() && !HostUser.isRoot()) {
            throw new VmException.Invalid(
                    "Only root can give files to other owners", "Copy without owners, or as root.");
        }
    }

    /** Takes records up to DONE. */
    CopyReport write(Source source) {
        try (OpenDirectory anchor = anchor()) {
            return write(source, anchor, new HostBuffer());
        } catch (VmException cut) {
            throw counter.leftSomething()
                    ? new GuestException.CopyIncomplete(target.shown(), counter.report(), cut)
                    : cut;
        }
    }

    private CopyReport write(Source source, OpenDirectory anchor, HostBuffer buffer) {
        try {
            FileRecord record = source.next();
            while (!(record instanceof FileRecord.Done)) {
                switch (record) {
                    case FileRecord.Entry(FileEntry entry) -> begin(anchor, entry, buffer);
                    case FileRecord.Data data -> append(data);
                    default -> throw violation("a copy has records that do not belong to it");
                }
                record = source.next();
            }
            if (!begun) {
                throw violation("a copy has nothing in it");
            }
            completeFile();
            while (!path.isEmpty()) {
                completeDirectory();
            }
            return counter.report();
        } finally {
            // While the directory that it lies in is open.
            dropFile();
            path.forEach(OpenDirectory::close);
        }
    }

    private OpenDirectory anchor() {
        return target.refused("", () -> new OpenDirectory(target.openParent(), "", Optional.empty()));
    }

    private void begin(OpenDirectory anchor, FileEntry entry, HostBuffer buffer) {
        completeFile();
        if (entry.name().isEmpty() == begun) {
            throw violation("a copy begins twice, or not at its beginning");
        }
        begun = true;
        String name = entry.name();
        OpenDirectory parent = name.isEmpty() ? anchor : descendTo(GuestPaths.parent(name));
        counter.begin(name, entry.kind(), entry.size());
        String part = name.isEmpty() ? target.name() : GuestPaths.last(name);
        target.refused(name, () -> {
            make(parent, part, entry, buffer);
            return true;
        });
    }

    /** Completes the directories that the records have left. */
    private OpenDirectory descendTo(String parent) {
        while (!path.isEmpty() && !path.getLast().name().equals(parent)) {
            completeDirectory();
        }
        if (path.isEmpty()) {
            throw violation("a copy has a name in what is no directory of it");
        }
        return path.getLast();
    }

    private void make(OpenDirectory parent, String part, FileEntry entry, HostBuffer buffer) {
        Optional<FileStatus> there = parent.handle().status(part);
        if (!parent.claim(part, there.isPresent())) {
            throw violation("a copy has the same name twice");
        }
        boolean directory = entry.kind() == FileKind.DIRECTORY;
        if (there.isPresent() && there.get().isDirectory() != directory && isCopied(entry.kind())) {
            throw GuestException.HostFile.inTheWay(
                    target.shown(entry.name()), directory ? "it is no directory" : "it is a directory");
        }
        switch (entry.kind()) {
            case DIRECTORY -> {
                path.addLast(openDirectory(parent, part, entry, there.isEmpty()));
                if (there.isEmpty()) {
                    counter.left();
                }
            }
            case FILE -> file = IncomingFile.create(parent.handle(), part, entry, buffer);
            case SYMBOLIC_LINK -> {
                IncomingFile.link(parent.handle(), part, entry, options);
                counter.completed(0);
            }
            default -> counter.leftOut(entry.name(), CopyReport.Reason.SPECIAL_FILE);
        }
    }

    private static boolean isCopied(FileKind kind) {
        return kind == FileKind.FILE || kind == FileKind.DIRECTORY || kind == FileKind.SYMBOLIC_LINK;
    }

    private static OpenDirectory openDirectory(OpenDirectory parent, String part, FileEntry entry, boolean isNew) {
        if (isNew) {
            parent.handle().makeDirectory(part, 0700);
        }
        DirectoryHandle handle = parent.handle().openDirectory(part);
        return new OpenDirectory(handle, entry.name(), isNew ? Optional.of(entry) : Optional.empty());
    }

    private void append(FileRecord.Data data) {
        IncomingFile open = file;
        if (open == null) {
            throw violation("a copy has data that belong to no file");
        }
        long count = data.bytes().remaining();
        target.refused(open.name(), () -> {
            open.append(data);
            return true;
        });
        counter.moved(count);
    }

    private void completeFile() {
        IncomingFile open = file;
        if (open != null) {
            target.refused(open.name(), () -> {
                open.complete(options);
                return true;
            });
            file = null;
            counter.completed(open.size());
        }
    }

    private void completeDirectory() {
        try (OpenDirectory last = path.removeLast()) {
            target.refused(last.name(), () -> {
                last.complete(options);
                return true;
            });
            counter.completed(0);
        }
    }

    private void dropFile() {
        IncomingFile open = file;
        if (open != null) {
            try {
                open.drop();
            } catch (SystemCallException left) {
                System.getLogger(HostTreeWriter.class.getName())
                        .log(System.Logger.Level.WARNING, "an unfinished copy is left in " + target.shown(), left);
            }
        }
    }

    private static GuestException.ProtocolBroken violation(String what) {
        return new GuestException.ProtocolBroken(what);
    }
}
