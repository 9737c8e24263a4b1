package dev.cloche.vmm.channel;

import dev.cloche.vm.FileKind;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vmm.protocol.FileEntry;
import dev.cloche.vmm.protocol.FileRecord;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Passes on the records of a DIFF, of which it holds what each belongs to. For one operation, on one thread. */
final class ChangeRecords {
    private final GuestFiles.Changes to;
    /** The last entry, as long as records about it may follow. */
    private @Nullable FileEntry last;
    /** Where the data of the last entry end so far. */
    private long end;

    private boolean begun;

    ChangeRecords(GuestFiles.Changes to) {
        this.to = to;
    }

    /** Takes records up to DONE. */
    void pass(Supplier<FileRecord> records) {
        for (FileRecord record = records.get(); !(record instanceof FileRecord.Done); record = records.get()) {
            switch (record) {
                case FileRecord.Entry(FileEntry entry) -> begin(entry);
                case FileRecord.Attribute(String name, ByteBuffer value) -> {
                    var _ = of(FileKind.FILE, FileKind.DIRECTORY);
                    byte[] bytes = new byte[value.remaining()];
                    value.get(bytes);
                    to.attribute(name, bytes);
                }
                case FileRecord.Opaque _ -> {
                    var _ = of(FileKind.DIRECTORY, FileKind.DIRECTORY);
                    to.opaque();
                }
                case FileRecord.Data data -> append(data);
                case FileRecord.Removed(String name) -> {
                    last = null;
                    to.removed(name);
                }
                default -> throw violation("a list of changes has records that do not belong to it");
            }
        }
        if (!begun) {
            throw violation("a list of changes does not begin with the root");
        }
    }

    private void begin(FileEntry entry) {
        if (entry.name().isEmpty() == begun || (!begun && entry.kind() != FileKind.DIRECTORY)) {
            throw violation("a list of changes does not begin with the root, or begins twice");
        }
        if (entry.kind() == FileKind.SOCKET) {
            throw violation("a list of changes has a socket");
        }
        begun = true;
        last = entry;
        end = 0;
        to.entry(entry.info(entry.name()), entry.major(), entry.minor());
    }

    private void append(FileRecord.Data data) {
        FileEntry file = of(FileKind.FILE, FileKind.FILE);
        long after = data.offset() + data.bytes().remaining();
        if (data.offset() < end || after > file.size()) {
            throw violation("a changed file has data that overlap, or lie beyond its end");
        }
        end = after;
        to.data(data.offset(), data.bytes());
    }

    private FileEntry of(FileKind one, FileKind other) {
        FileEntry entry = last;
        if (entry == null || (entry.kind() != one && entry.kind() != other)) {
            throw violation("a list of changes has a record that belongs to no entry");
        }
        return entry;
    }

    private static GuestException.ProtocolBroken violation(String what) {
        return new GuestException.ProtocolBroken(what);
    }
}
