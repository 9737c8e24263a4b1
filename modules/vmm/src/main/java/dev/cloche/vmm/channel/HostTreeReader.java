package dev.cloche.vmm.channel;

import dev.cloche.base.RawText;
import dev.cloche.linux.DirectoryHandle;
import dev.cloche.linux.FileHandle;
import dev.cloche.linux.FileStatus;
import dev.cloche.linux.SystemCallException;
import dev.cloche.vm.CopyListener;
import dev.cloche.vm.CopyOptions;
import dev.cloche.vm.CopyReport;
import dev.cloche.vm.FileKind;
import dev.cloche.vm.GuestException;
import dev.cloche.vmm.protocol.FileEntry;
import dev.cloche.vmm.protocol.FileRecordWriter;
import dev.cloche.vmm.protocol.GuestPaths;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * Turns a tree of the host into records. Links below the source are never followed, also if another process puts them there
 * meanwhile. For one copy, on one thread.
 */
final class HostTreeReader {
    private static final int ENOENT = 2;

    private final CopyTarget source;
    private final CopyCounter counter;
    private boolean begun;

    private HostTreeReader(CopyTarget source, CopyCounter counter) {
        this.source = source;
        this.counter = counter;
    }

    /** @throws GuestException.HostFile if there is nothing, or nothing that can be copied */
    static HostTreeReader of(Path path, CopyOptions options, CopyListener listener) {
        CopyTarget source = CopyTarget.of(options.followLink() ? CopyTarget.real(path) : path);
        HostTreeReader reader = new HostTreeReader(source, new CopyCounter(options, listener));
        try (DirectoryHandle parent = reader.refused("", source::openParent)) {
            FileStatus status = reader.refused("", () -> parent.status(source.name()))
                    .orElseThrow(() ->
                            GuestException.HostFile.unusable(source.shown(), "does not exist", "Check the path."));
            if (kind(status).isEmpty()) {
                throw GuestException.HostFile.unusable(
                        source.shown(), "is a device, FIFO or socket", "Copy files, directories and links only.");
            }
        }
        return reader;
    }

    /** Returns whether anything was sent. */
    boolean begun() {
        return begun;
    }

    CopyReport report() {
        return counter.report();
    }

    /** Writes all but DONE. */
    void writeTo(FileRecordWriter out) throws IOException {
        try (DirectoryHandle parent = refused("", source::openParent)) {
            entry(parent, source.name(), "", out, new HostBuffer());
        }
    }

    private void entry(DirectoryHandle parent, String part, String name, FileRecordWriter out, HostBuffer buffer)
            throws IOException {
        try {
            Optional<FileStatus> status = parent.status(part);
            if (status.isEmpty()) {
                counter.leftOut(name, CopyReport.Reason.VANISHED);
                return;
            }
            Optional<FileKind> kind = kind(status.get());
            if (kind.isEmpty()) {
                counter.leftOut(name, CopyReport.Reason.SPECIAL_FILE);
                return;
            }
            switch (kind.get()) {
                case DIRECTORY -> directory(parent, part, name, out, buffer);
                case FILE -> file(parent, part, name, out, buffer);
                default -> link(parent, part, name, status.get(), out);
            }
        } catch (SystemCallException e) {
            if (e.errno() != ENOENT) {
                throw GuestException.HostFile.of(source.shown(name), e);
            }
            counter.leftOut(name, CopyReport.Reason.VANISHED);
        }
    }

    private void directory(DirectoryHandle parent, String part, String name, FileRecordWriter out, HostBuffer buffer)
            throws IOException {
        try (DirectoryHandle handle = parent.openDirectory(part)) {
            send(FileKind.DIRECTORY, handle.status(), name, "", out);
            for (String child : handle.names()) {
                entry(handle, child, name.isEmpty() ? child : name + "/" + child, out, buffer);
            }
        }
        counter.completed(0);
    }

    private void link(DirectoryHandle parent, String part, String name, FileStatus status, FileRecordWriter out)
            throws IOException {
        send(FileKind.SYMBOLIC_LINK, status, name, parent.readLink(part), out);
        counter.completed(0);
    }

    private void file(DirectoryHandle parent, String part, String name, FileRecordWriter out, HostBuffer buffer)
            throws IOException {
        try (FileHandle handle = parent.openFile(part)) {
            FileStatus before = handle.status();
            if (!before.isFile()) {
                counter.leftOut(name, CopyReport.Reason.CHANGED);
                return;
            }
            send(FileKind.FILE, before, name, "", out);
            content(handle, before.size(), out, buffer);
            FileStatus after = handle.status();
            if (after.size() != before.size() || !after.modified().equals(before.modified())) {
                counter.leftOut(name, CopyReport.Reason.CHANGED);
            }
            counter.completed(before.size());
        }
    }

    private void content(FileHandle handle, long size, FileRecordWriter out, HostBuffer buffer) throws IOException {
        OptionalLong data = size == 0 ? OptionalLong.empty() : handle.nextData(0);
        while (data.isPresent() && data.getAsLong() < size) {
            long at = data.getAsLong();
            long end = Math.min(size, handle.endOfData(at));
            while (at < end) {
                ByteBuffer chunk = buffer.room(end - at);
                int count = handle.read(chunk, at);
                if (count == 0) {
                    // It was cut meanwhile; what is missing becomes a hole.
                    return;
                }
                out.data(at, chunk.flip());
                counter.moved(count);
                at += count;
            }
            data = handle.nextData(at);
        }
    }

    private void send(FileKind kind, FileStatus status, String name, String target, FileRecordWriter out)
            throws IOException {
        if (RawText.encode(name).length > GuestPaths.MAX) {
            throw GuestException.HostFile.unusable(
                    source.shown(name), "is too deep to be copied", "Copy a part of it.");
        }
        counter.begin(name, kind, status.size());
        begun = true;
        out.entry(new FileEntry(
                kind,
                status.permissions(),
                (int) status.uid(),
                (int) status.gid(),
                kind == FileKind.FILE ? status.size() : 0,
                status.modified(),
                0,
                0,
                name,
                target));
    }

    private static Optional<FileKind> kind(FileStatus status) {
        return switch (status.type()) {
            case FileStatus.FILE -> Optional.of(FileKind.FILE);
            case FileStatus.DIRECTORY -> Optional.of(FileKind.DIRECTORY);
            case FileStatus.LINK -> Optional.of(FileKind.SYMBOLIC_LINK);
            default -> Optional.empty();
        };
    }

    private <T> T refused(String name, Supplier<T> action) {
        return source.refused(name, action);
    }
}
