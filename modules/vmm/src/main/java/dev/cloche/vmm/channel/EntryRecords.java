package dev.cloche.vmm.channel;

import dev.cloche.vm.FileInfo;
import dev.cloche.vm.FileKind;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vmm.protocol.FileEntry;
import dev.cloche.vmm.protocol.FileRecord;
import dev.cloche.vmm.protocol.GuestPaths;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes the records of a STAT or a LIST: each entry, with its details if they were asked for. For one operation, on one thread.
 */
final class EntryRecords {
    /** Of all names, paths and attributes, in characters and bytes. */
    private static final long MAX_TEXT = 64 << 20;

    /** Of the attributes of one file, as an agent bounds them. */
    private static final int MAX_ATTRIBUTES = 1024;

    private static final String USER = "user.";

    /** What the only entry is shown as, of a STAT. */
    private final @Nullable String only;

    private final int depth;
    private final boolean details;
    private final List<FileInfo> files = new ArrayList<>();
    private final List<FileInfo.Details> told = new ArrayList<>();
    /** The directories so far in which there may be more; the first has the empty name. */
    private final Set<String> directories = new HashSet<>(Set.of(""));

    /** The details of the last entry, to which attributes may come. */
    private FileRecord.@Nullable Details last;

    private final Map<String, byte[]> attributes = new HashMap<>();
    private long text;

    private EntryRecords(@Nullable String only, int depth, boolean details) {
        this.only = only;
        this.depth = depth;
        this.details = details;
    }

    /** Takes those of one file. */
    static EntryRecords ofOne(String shown, boolean details) {
        return new EntryRecords(shown, 0, details);
    }

    /** Takes those of a directory. */
    static EntryRecords ofListing(int depth, boolean details) {
        return new EntryRecords(null, depth, details);
    }

    /** Takes records up to DONE. */
    void take(Supplier<FileRecord> records) {
        for (FileRecord record = records.get(); !(record instanceof FileRecord.Done); record = records.get()) {
            switch (record) {
                case FileRecord.Entry(FileEntry entry) -> {
                    finish();
                    begin(entry);
                }
                case FileRecord.Details more -> {
                    if (!details || last != null || told.size() >= files.size()) {
                        throw violation("details of a file that belong to none");
                    }
                    count(more.owner().length()
                            + more.group().length()
                            + more.realPath().length());
                    last = more;
                }
                case FileRecord.Attribute(String name, ByteBuffer value) -> add(name, value);
                default -> throw violation("records that do not belong to it");
            }
        }
        finish();
        if (only != null && files.size() != 1) {
            throw violation("no file");
        }
    }

    private void begin(FileEntry entry) {
        String name = entry.name();
        if (only != null) {
            if (!name.isEmpty() || !files.isEmpty()) {
                throw violation("more than the file");
            }
            files.add(entry.info(only));
            return;
        }
        if (name.isEmpty() || GuestPaths.depth(name) > depth || !directories.contains(GuestPaths.parent(name))) {
            throw violation("a name that is in no directory of it");
        }
        count(name.length() + entry.linkTarget().length());
        if (files.size() >= GuestFiles.MAX_LISTED) {
            throw tooMuch();
        }
        files.add(entry.info(name));
        if (entry.kind() == FileKind.DIRECTORY && depth > 1) {
            directories.add(name);
        }
    }

    private void add(String name, ByteBuffer value) {
        FileKind kind = files.isEmpty() ? FileKind.SOCKET : files.getLast().kind();
        if (last == null || !name.startsWith(USER) || (kind != FileKind.FILE && kind != FileKind.DIRECTORY)) {
            throw violation("an attribute that belongs to no file");
        }
        count(name.length() + value.remaining());
        byte[] bytes = new byte[value.remaining()];
        value.get(bytes);
        if (attributes.put(name, bytes) != null || attributes.size() > MAX_ATTRIBUTES) {
            throw violation("an attribute twice, or too many of them");
        }
    }

    /** Completes the last entry. */
    private void finish() {
        if (!details || files.isEmpty()) {
            return;
        }
        FileRecord.Details more = last;
        if (more == null) {
            throw violation("a file without its details");
        }
        told.add(new FileInfo.Details(
                files.getLast(), given(more.owner()), given(more.group()), given(more.realPath()), attributes));
        attributes.clear();
        last = null;
    }

    private static Optional<String> given(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    private void count(long more) {
        text += more;
        if (text > MAX_TEXT) {
            throw tooMuch();
        }
    }

    private static GuestException.CopyLimit tooMuch() {
        return new GuestException.CopyLimit(GuestFiles.MAX_LISTED + " entries in one listing");
    }

    /** Returns the entries without their details. */
    List<FileInfo> files() {
        return List.copyOf(files);
    }

    List<FileInfo.Details> details() {
        return List.copyOf(told);
    }

    private static GuestException.ProtocolBroken violation(String what) {
        return new GuestException.ProtocolBroken("what a file or directory is has " + what);
    }
}
