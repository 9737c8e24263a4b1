package dev.cloche.vmm.channel;

import dev.cloche.base.Deadline;
import dev.cloche.vm.CopyListener;
import dev.cloche.vm.CopyOptions;
import dev.cloche.vm.CopyReport;
import dev.cloche.vm.FileInfo;
import dev.cloche.vm.FileWatch;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.GuestFileInput;
import dev.cloche.vm.GuestFileOutput;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vm.VmException;
import dev.cloche.vm.WriteOptions;
import dev.cloche.vmm.protocol.FileEntry;
import dev.cloche.vmm.protocol.FileRecord;
import dev.cloche.vmm.protocol.FileRecordWriter;
import dev.cloche.vmm.protocol.FileRequest;
import dev.cloche.vmm.protocol.GuestPaths;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The files of a guest, over its connection. */
final class ChannelFiles implements GuestFiles {
    /** Of all names of a listing. */
    private static final long MAX_LISTED_CHARS = 64 << 20;

    private final GuestConnection connection;
    private final String user;

    ChannelFiles(GuestConnection connection, String user) {
        this.connection = connection;
        this.user = user;
    }

    @Override
    public GuestFiles as(String other) {
        return new ChannelFiles(connection, other);
    }

    @Override
    public GuestFileInput read(String path, long offset, long length, Deadline deadline) {
        if (offset < 0 || length < 0) {
            throw new VmException.Invalid("An offset or length is negative", "Begin at 0.");
        }
        long wire = length == Long.MAX_VALUE ? -1 : length;
        FileRequest request =
                new FileRequest(FileRequest.READ, 0, 0, offset, wire, GuestPaths.absolute(path), "", user);
        return new ChannelFileInput(start(request, "reading " + path, deadline), offset, length);
    }

    @Override
    public byte[] readAllBytes(String path, int limit, Deadline deadline) {
        try (GuestFileInput in = read(path, 0, limit + 1L, deadline)) {
            byte[] all = in.readNBytes(limit);
            if (in.read() >= 0) {
                throw new GuestException.CopyLimit(limit + " bytes");
            }
            return all;
        } catch (IOException e) {
            throw new IllegalStateException("only this closes it", e);
        }
    }

    @Override
    public GuestFileOutput write(String path, WriteOptions options, Deadline deadline) {
        int flags = (options.createNew() ? FileRequest.EXCLUSIVE : 0)
                | (options.append() ? FileRequest.APPEND : 0)
                | (options.truncate() ? FileRequest.TRUNCATE : 0);
        FileRequest request = new FileRequest(
                FileRequest.WRITE, flags, options.mode(), options.offset(), 0, GuestPaths.absolute(path), "", user);
        return new ChannelFileOutput(start(request, "writing " + path, deadline), options.offset());
    }

    @Override
    public FileInfo stat(String path, boolean followLink, Deadline deadline) {
        FileRequest request = FileRequest.of(FileRequest.STAT, followLink, GuestPaths.absolute(path), user);
        try (FileCall call = start(request, "looking at " + path, deadline)) {
            if (call.next() instanceof FileRecord.Entry(FileEntry entry)
                    && entry.name().isEmpty()) {
                call.done();
                return entry.info(GuestPaths.last(path));
            }
            throw new GuestException.ProtocolBroken("a look at a file is not answered by what it is");
        }
    }

    @Override
    public List<FileInfo> list(String path, Deadline deadline) {
        FileRequest request = FileRequest.of(FileRequest.LIST, false, GuestPaths.absolute(path), user);
        List<FileInfo> all = new ArrayList<>();
        long chars = 0;
        try (FileCall call = start(request, "listing " + path, deadline)) {
            while (call.next() instanceof FileRecord.Entry(FileEntry entry)) {
                if (entry.name().isEmpty() || entry.name().indexOf('/') >= 0) {
                    throw new GuestException.ProtocolBroken("a name in a directory is none");
                }
                chars += entry.name().length() + entry.linkTarget().length();
                if (all.size() >= MAX_LISTED || chars > MAX_LISTED_CHARS) {
                    throw new GuestException.CopyLimit(MAX_LISTED + " entries in one directory");
                }
                all.add(entry.info(entry.name()));
            }
            call.isDone();
        }
        return List.copyOf(all);
    }

    @Override
    public void makeDirectory(String path, int mode, boolean parents, Deadline deadline) {
        if (mode < 0 || mode > FileEntry.MAX_MODE) {
            throw new VmException.Invalid("A mode is not in its range", "Modes are at most 07777.");
        }
        int flags = parents ? FileRequest.PARENTS : 0;
        run(
                new FileRequest(FileRequest.MKDIR, flags, mode, 0, 0, GuestPaths.absolute(path), "", user),
                "making " + path,
                deadline);
    }

    @Override
    public void remove(String path, boolean recursive, Deadline deadline) {
        FileRequest request = FileRequest.of(FileRequest.REMOVE, recursive, GuestPaths.absolute(path), user);
        run(request, "removing " + path, deadline);
    }

    @Override
    public void rename(String path, String target, boolean noReplace, Deadline deadline) {
        int flags = noReplace ? FileRequest.KEEP : 0;
        FileRequest request = new FileRequest(
                FileRequest.RENAME, flags, 0, 0, 0, GuestPaths.absolute(path), GuestPaths.absolute(target), user);
        run(request, "renaming " + path, deadline);
    }

    @Override
    public FileWatch watch(String path, FileWatch.Options options, Deadline deadline) {
        int flags = (options.tree() ? FileRequest.BELOW : 0) | (options.files() ? FileRequest.ENTRIES : 0);
        FileRequest request = new FileRequest(FileRequest.WATCH, flags, 0, 0, 0, GuestPaths.absolute(path), "", user);
        ChannelExecution execution = startedIfKnown(request, "watches of files", deadline);
        FileCall call = new FileCall(execution, request, "watching " + path, Deadline.none());
        return ChannelFileWatch.begin(call, path, deadline);
    }

    /** Starts what agents of earlier versions do not know. */
    private ChannelExecution startedIfKnown(FileRequest request, String what, Deadline deadline) {
        try {
            return connection.file(request, deadline);
        } catch (GuestException.Refused refused) {
            throw refused.failure() == GuestFailure.UNSUPPORTED ? new GuestException.OlderAgent(what) : refused;
        }
    }

    @Override
    public void changes(Changes to, Deadline deadline) {
        FileRequest request = FileRequest.of(FileRequest.DIFF, false, "/", "");
        ChannelExecution execution = startedIfKnown(request, "list of changed files", deadline);
        try (FileCall call = new FileCall(execution, request, "reading what has changed", deadline)) {
            new ChangeRecords(to).pass(call::next);
            call.isDone();
        }
    }

    private void run(FileRequest request, String what, Deadline deadline) {
        try (FileCall call = start(request, what, deadline)) {
            call.done();
        }
    }

    @Override
    public CopyReport copyOut(String guest, Path host, CopyOptions options, CopyListener listener, Deadline deadline) {
        FileRequest request =
                FileRequest.of(FileRequest.COPY_OUT, options.followLink(), GuestPaths.absolute(guest), user);
        HostTreeWriter writer = new HostTreeWriter(host, options, listener);
        try (FileCall call = start(request, "copying " + guest + " to " + host, deadline)) {
            return writer.write(() -> {
                FileRecord record = call.next();
                if (record instanceof FileRecord.Done) {
                    call.isDone();
                }
                return record;
            });
        }
    }

    @Override
    public CopyReport copyIn(Path host, String guest, CopyOptions options, CopyListener listener, Deadline deadline) {
        int flags = options.owners() ? FileRequest.OWNERS : 0;
        FileRequest request =
                new FileRequest(FileRequest.COPY_IN, flags, 0, 0, 0, GuestPaths.absolute(guest), "", user);
        HostTreeReader reader = HostTreeReader.of(host, options, listener);
        try (FileCall call = start(request, "copying " + host + " to " + guest, deadline)) {
            try {
                call.write(reader::writeTo);
                call.write(FileRecordWriter::done);
                call.done();
                return reader.report();
            } catch (VmException cut) {
                throw reader.begun() ? new GuestException.CopyIncomplete(guest, reader.report(), cut) : cut;
            }
        }
    }

    private FileCall start(FileRequest request, String what, Deadline deadline) {
        ChannelExecution execution = connection.file(request, deadline);
        return new FileCall(execution, request, what, deadline);
    }
}
