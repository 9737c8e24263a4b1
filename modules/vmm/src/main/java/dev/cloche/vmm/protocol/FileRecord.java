package dev.cloche.vmm.protocol;

import dev.cloche.vm.GuestException;
import java.nio.ByteBuffer;

/** Says what the streams of a file operation carry (docs/guest-protocol.md, "Files"). */
public sealed interface FileRecord {
    int ENTRY = 1;
    int DATA = 2;
    int DONE = 3;
    int FAILED = 4;

    /** Type and length. */
    int HEADER = 8;

    int MAX_BODY = 65_536;

    record Entry(FileEntry entry) implements FileRecord {}

    /** Describes a part of a file; its bytes are valid until the next record is read. */
    record Data(long offset, ByteBuffer bytes) implements FileRecord {}

    record Done() implements FileRecord {}

    record Failed(int errno, String path) implements FileRecord {}

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

    private static Failed failed(PayloadReader in) {
        int errno = in.u32(1, 4095);
        // The paths of a rename are two, and each may be long.
        String path = GuestPaths.withoutNul(in, in.text(MAX_BODY));
        // The number says it in our own words.
        in.text(1024);
        return new Failed(errno, path);
    }
}
