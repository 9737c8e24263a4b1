package dev.cloche.vmm.channel;

import dev.cloche.linux.DirectoryHandle;
import dev.cloche.linux.FileHandle;
import dev.cloche.vm.CopyOptions;
import dev.cloche.vm.GuestException;
import dev.cloche.vmm.protocol.FileEntry;
import dev.cloche.vmm.protocol.FileRecord;
import java.security.SecureRandom;
import java.util.HexFormat;

/** A file of the host that a copy is writing, under another name and for its owner's eyes only until it is complete. */
final class IncomingFile {
    private static final int PERMISSIONS = 0777;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final DirectoryHandle directory;
    private final String part;
    private final String temporary;
    private final FileEntry entry;
    private final FileHandle handle;
    private final HostBuffer buffer;
    private long end;

    private IncomingFile(
            DirectoryHandle directory,
            String part,
            String temporary,
            FileEntry entry,
            FileHandle handle,
            HostBuffer buffer) {
        this.directory = directory;
        this.part = part;
        this.temporary = temporary;
        this.entry = entry;
        this.handle = handle;
        this.buffer = buffer;
    }

    static IncomingFile create(DirectoryHandle directory, String part, FileEntry entry, HostBuffer buffer) {
        String temporary = temporaryName();
        return new IncomingFile(directory, part, temporary, entry, directory.createFile(temporary, 0600), buffer);
    }

    /** Makes a symbolic link at once. */
    static void link(DirectoryHandle directory, String part, FileEntry entry, CopyOptions options) {
        String temporary = temporaryName();
        directory.makeLink(temporary, entry.linkTarget());
        boolean named = false;
        try {
            if (options.owners()) {
                directory.setOwner(temporary, entry.uid(), entry.gid());
            }
            directory.setModified(temporary, entry.modified());
            directory.rename(temporary, part);
            named = true;
        } finally {
            if (!named) {
                directory.removeFile(temporary);
            }
        }
    }

    private static String temporaryName() {
        byte[] random = new byte[8];
        RANDOM.nextBytes(random);
        return ".cloche-" + HexFormat.of().formatHex(random);
    }

    static int hostMode(FileEntry entry, CopyOptions options) {
        return options.specialBits() ? entry.mode() : entry.mode() & PERMISSIONS;
    }

    /** In the copy. */
    String name() {
        return entry.name();
    }

    long size() {
        return entry.size();
    }

    void append(FileRecord.Data data) {
        long after = data.offset() + data.bytes().remaining();
        if (data.offset() < end || after > entry.size()) {
            throw new GuestException.ProtocolBroken("a file's data are not within its size, or come twice");
        }
        handle.write(buffer.of(data.bytes()), data.offset());
        end = after;
    }

    /** Gives it its size, owner, mode, time and name, in this order. */
    void complete(CopyOptions options) {
        if (end < entry.size()) {
            handle.setSize(entry.size());
        }
        if (options.owners()) {
            handle.setOwner(entry.uid(), entry.gid());
        }
        handle.setMode(hostMode(entry, options));
        handle.setModified(entry.modified());
        directory.rename(temporary, part);
        handle.close();
    }

    /** Removes it. */
    void drop() {
        handle.close();
        directory.removeFile(temporary);
    }
}
