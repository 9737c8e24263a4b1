package dev.cloche.vmm.protocol;

import dev.cloche.vm.FileWatch;
import dev.cloche.vm.GuestException;
import java.nio.ByteBuffer;
import java.util.List;

/** Says what the streams of a file operation carry (docs/guest-protocol.md, "Files"). */
public sealed interface FileRecord {
    int ENTRY = 1;
    int DATA = 2;
    int DONE = 3;
    int FAILED = 4;
    int READY = 5;
    int EVENT = 6;
    int OVERFLOW = 7;
    int ATTRIBUTE = 8;
    int REMOVED = 9;
    int OPAQUE = 10;
    int DETAILS = 11;
    /** Goes only to a guest, which an {@link #ATTRIBUTE} may do too. */
    int NO_ATTRIBUTE = 12;

    /** Type and length. */
    int HEADER = 8;

    int MAX_BODY = 65_536;

    /** As Linux bounds it, in bytes. */
    int MAX_ATTRIBUTE_NAME = 255;

    /** Of a user or group, in bytes. */
    int MAX_ACCOUNT_NAME = 255;

    /** By their numbers, from 1 on. */
    List<FileWatch.Change> CHANGES = List.of(
            FileWatch.Change.CREATED,
            FileWatch.Change.WRITTEN,
            FileWatch.Change.REMOVED,
            FileWatch.Change.RENAMED,
            FileWatch.Change.ATTRIBUTES);

    record Entry(FileEntry entry) implements FileRecord {}

    /** Describes a part of a file; its bytes are valid until the next record is read. */
    record Data(long offset, ByteBuffer bytes) implements FileRecord {}

    record Done() implements FileRecord {}

    record Failed(int errno, String path) implements FileRecord {}

    /** Says that a watch tells all that changes from here on. */
    record Ready() implements FileRecord {}

    /**
     * Tells a change.
     *
     * @param entryFollows whether the next record is an {@link Entry} of the same name
     */
    record Event(FileWatch.Change change, boolean entryFollows, String name) implements FileRecord {}

    record Overflow() implements FileRecord {}

    /** Describes an extended attribute of the file or directory whose {@link Entry} came last; its value is valid until the next record is read. */
    record Attribute(String name, ByteBuffer value) implements FileRecord {}

    /** Says that a file of the image is gone. */
    record Removed(String name) implements FileRecord {}

    /** Says that the directory whose {@link Entry} came last hides that of the image. */
    record Opaque() implements FileRecord {}

    /** Tells more of the file whose {@link Entry} came last; each part may be empty. */
    record Details(String owner, String group, String realPath) implements FileRecord {}

    /**
     * Reads a record.
     *
     * @param body little-endian, of the length that the record named
     * @throws GuestException.ProtocolBroken if it is none
     */
    static FileRecord parse(int type, ByteBuffer body) {
        PayloadReader in = new PayloadReader("file record " + Integer.toUnsignedString(type), body);
        FileRecord record = switch (type) {
            case ENTRY -> new Entry(FileEntry.parse(in));
            case DATA -> data(in);
            case DONE -> new Done();
            case FAILED -> failed(in);
            case READY -> new Ready();
            case EVENT -> event(in);
            case OVERFLOW -> new Overflow();
            case ATTRIBUTE -> attribute(in);
            case REMOVED -> removed(in);
            case OPAQUE -> new Opaque();
            case DETAILS -> details(in);
            default -> throw in.bad("is unknown");
        };
        if (type != DATA) {
            in.end();
        }
        return record;
    }

    private static Data data(PayloadReader in) {
        long offset = in.u63();
        ByteBuffer bytes = in.rest().slice();
        if (!bytes.hasRemaining()) {
            throw in.bad("is empty");
        }
        if (offset > Long.MAX_VALUE - bytes.remaining()) {
            throw in.bad("lies beyond all offsets");
        }
        return new Data(offset, bytes);
    }

    private static Event event(PayloadReader in) {
        FileWatch.Change change = CHANGES.get(in.u32(1, CHANGES.size()) - 1);
        boolean entryFollows = in.u32(0, 1) == 1;
        return new Event(change, entryFollows, GuestPaths.relative(in, in.text(GuestPaths.MAX)));
    }

    private static Attribute attribute(PayloadReader in) {
        String name = GuestPaths.withoutNul(in, in.text(MAX_ATTRIBUTE_NAME));
        if (name.isEmpty()) {
            throw in.bad("has no name");
        }
        return new Attribute(name, ByteBuffer.wrap(in.text(MAX_BODY)));
    }

    private static Removed removed(PayloadReader in) {
        String name = GuestPaths.relative(in, in.text(GuestPaths.MAX));
        if (name.isEmpty()) {
            throw in.bad("has no name");
        }
        return new Removed(name);
    }

    private static Details details(PayloadReader in) {
        Details details = new Details(
                GuestPaths.withoutNul(in, in.text(MAX_ACCOUNT_NAME)),
                GuestPaths.withoutNul(in, in.text(MAX_ACCOUNT_NAME)),
                GuestPaths.withoutNul(in, in.text(GuestPaths.MAX)));
        if (!details.realPath().isEmpty() && !details.realPath().startsWith("/")) {
            throw in.bad("has a real path that is not absolute");
        }
        return details;
    }

    private static Failed failed(PayloadReader in) {
        int errno = in.u32(1, 4095);
        // The paths of a rename are two, and each may be long.
        String path = GuestPaths.withoutNul(in, in.text(MAX_BODY));
        // The number says it in our own words.
        in.text(1024);
        return new Failed(errno, path);
    }
}
