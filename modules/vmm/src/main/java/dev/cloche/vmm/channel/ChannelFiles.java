package dev.cloche.vmm.channel;

import dev.cloche.base.Deadline;
import dev.cloche.vm.CopyListener;
import dev.cloche.vm.CopyOptions;
import dev.cloche.vm.CopyReport;
import dev.cloche.vm.FileInfo;
import dev.cloche.vm.FileWatch;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.GuestFileException;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The files of a guest, over its connection. */
final class ChannelFiles implements GuestFiles {
    /** What agents of earlier versions do not know. */
    private static final String OWNERS = "owners of new files";

    private final GuestConnection connection;
    private final String user;
    private final Optional<String> owner;

    ChannelFiles(GuestConnection connection, String user) {
        this(connection, user, Optional.empty());
    }

    private ChannelFiles(GuestConnection connection, String user, Optional<String> owner) {
        this.connection = connection;
        this.user = user;
        this.owner = owner;
    }

    @Override
    public GuestFiles as(String other) {
        return new ChannelFiles(connection, other, owner);
    }

    @Override
    public GuestFiles ownedBy(String other) {
        GuestFiles.checkOwner(other);
        return new ChannelFiles(connection, user, Optional.of(other));
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
                | (options.truncate() ? FileRequest.TRUNCATE : 0)
                | (owner.isPresent() ? FileRequest.WRITE_OWNER : 0);
        FileRequest request = new FileRequest(
                FileRequest.WRITE,
                flags,
                options.mode(),
                options.offset(),
                0,
                GuestPaths.absolute(path),
                owner.orElse(""),
                user);
        return new ChannelFileOutput(startIfKnown(request, OWNERS, "writing " + path, deadline), options.offset());
    }

    @Override
    public FileInfo stat(String path, boolean followLink, Deadline deadline) {
        FileRequest request = FileRequest.of(FileRequest.STAT, followLink, GuestPaths.absolute(path), user);
        return told(start(request, "looking at " + path, deadline), EntryRecords.ofOne(GuestPaths.last(path), false))
                .files()
                .getFirst();
    }

    @Override
    public FileInfo.Details details(String path, boolean followLink, Deadline deadline) {
        int flags = FileRequest.DETAILS | (followLink ? FileRequest.FOLLOW : 0);
        FileRequest request = new FileRequest(FileRequest.STAT, flags, 0, 0, 0, GuestPaths.absolute(path), "", user);
        return told(
                        startIfKnown(request, "details of files", "looking at " + path, deadline),
                        EntryRecords.ofOne(GuestPaths.last(path), true))
                .details()
                .getFirst();
    }

    @Override
    public List<FileInfo> list(String path, int depth, Deadline deadline) {
        return told(listing(path, depth, 0, deadline), EntryRecords.ofListing(depth, false))
                .files();
    }

    @Override
    public List<FileInfo.Details> listDetails(String path, int depth, Deadline deadline) {
        return told(listing(path, depth, FileRequest.DETAILS, deadline), EntryRecords.ofListing(depth, true))
                .details();
    }

    /** Begins a listing, in a form that agents of earlier versions know if they can give it. */
    private FileCall listing(String path, int depth, int details, Deadline deadline) {
        if (depth < 1 || depth > MAX_DEPTH) {
            throw new VmException.Invalid(
                    "A listing has a depth of " + depth, "A depth is 1 to " + MAX_DEPTH + "; 1 is one directory.");
        }
        boolean below = depth > 1;
        FileRequest request = new FileRequest(
                FileRequest.LIST,
                details | (below ? FileRequest.TO_DEPTH : 0),
                0,
                0,
                below ? depth : 0,
                GuestPaths.absolute(path),
                "",
                user);
        return startIfKnown(
                request, details != 0 ? "details of files" : "listings to a depth", "listing " + path, deadline);
    }

    private static EntryRecords told(FileCall call, EntryRecords records) {
        try (call) {
            records.take(call::next);
            call.isDone();
            return records;
        }
    }

    @Override
    public void makeDirectory(String path, int mode, boolean parents, Deadline deadline) {
        if (mode < 0 || mode > FileEntry.MAX_MODE) {
            throw new VmException.Invalid("A mode is not in its range", "Modes are at most 07777.");
        }
        int flags = (parents ? FileRequest.PARENTS : 0) | (owner.isPresent() ? FileRequest.MKDIR_OWNER : 0);
        FileRequest request = new FileRequest(
                FileRequest.MKDIR, flags, mode, 0, 0, GuestPaths.absolute(path), owner.orElse(""), user);
        try (FileCall call = startIfKnown(request, OWNERS, "making " + path, deadline)) {
            call.done();
        }
    }

    @Override
    public void change(String path, FileInfo.Change change, boolean followLink, Deadline deadline) {
        int flags = (followLink ? FileRequest.FOLLOW : 0)
                | (change.mode().isPresent() ? FileRequest.SET_MODE : 0)
                | (change.owner().isPresent() ? FileRequest.SET_OWNER : 0);
        FileRequest request = new FileRequest(
                FileRequest.ATTRIBUTES,
                flags,
                change.mode().orElse(0),
                0,
                0,
                GuestPaths.absolute(path),
                change.owner().orElse(""),
                user);
        try (FileCall call = startIfKnown(request, "change of attributes", "changing " + path, deadline)) {
            call.write(records -> {
                for (Map.Entry<String, byte[]> attribute : change.attributes().entrySet()) {
                    records.attribute(attribute.getKey(), attribute.getValue());
                }
                for (String name : change.removed()) {
                    records.noAttribute(name);
                }
                records.done();
            });
            call.done();
        } catch (GuestFileException.Other refused) {
            throw change.attributes().isEmpty()
                    ? refused
                    : GuestFileException.ofAttributes(refused.errno(), refused.path());
        }
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
        try (FileCall call = startIfKnown(request, "list of changed files", "reading what has changed", deadline)) {
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

    private FileCall startIfKnown(FileRequest request, String thing, String what, Deadline deadline) {
        return new FileCall(startedIfKnown(request, thing, deadline), request, what, deadline);
    }

    private FileCall start(FileRequest request, String what, Deadline deadline) {
        ChannelExecution execution = connection.file(request, deadline);
        return new FileCall(execution, request, what, deadline);
    }
}
