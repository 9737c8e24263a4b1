package dev.cloche.vmm.protocol;

import dev.cloche.vm.FileInfo;
import dev.cloche.vm.FileKind;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/** Describes the ENTRY record of docs/guest-protocol.md; immutable. Ids and device numbers are unsigned. */
public record FileEntry(
        FileKind kind,
        int mode,
        int uid,
        int gid,
        long size,
        Instant modified,
        int major,
        int minor,
        String name,
        String linkTarget) {
    public static final int MAX_MODE = 07777;
    private static final int MAX_NANOS = 999_999_999;

    static FileEntry parse(PayloadReader in) {
        int code = in.u32();
        FileKind kind = FileKind.of(code).orElseThrow(() -> in.bad("has an unknown kind of file"));
        int mode = in.u32(0, MAX_MODE);
        int uid = owner(in);
        int gid = owner(in);
        long size = in.u63();
        Instant modified;
        try {
            modified = Instant.ofEpochSecond(in.u64(), in.u32(0, MAX_NANOS));
        } catch (DateTimeException far) {
            throw in.bad("has a time that no calendar knows");
        }
        FileEntry entry = new FileEntry(
                kind,
                mode,
                uid,
                gid,
                size,
                modified,
                in.u32(),
                in.u32(),
                GuestPaths.relative(in, in.text(GuestPaths.MAX)),
                GuestPaths.withoutNul(in, in.text(GuestPaths.MAX)));
        if ((kind == FileKind.SYMBOLIC_LINK) == entry.linkTarget().isEmpty()) {
            throw in.bad("has a link target where none may be, or none where one has to be");
        }
        return entry;
    }

    /** The highest one is to a kernel "no change", and no file has it. */
    private static int owner(PayloadReader in) {
        int id = in.u32();
        if (id == -1) {
            throw in.bad("has an owner that no file can have");
        }
        return id;
    }

    public void writeTo(PayloadWriter out) {
        out.u32(kind.code())
                .u32(mode)
                .u32(uid)
                .u32(gid)
                .u64(size)
                .u64(modified.getEpochSecond())
                .u32(modified.getNano())
                .u32(major)
                .u32(minor)
                .name(name)
                .name(linkTarget);
    }

    /**
     * Returns what a caller gets to see of it.
     *
     * @param shown in place of the name
     */
    public FileInfo info(String shown) {
        return new FileInfo(
                shown,
                kind,
                mode,
                Integer.toUnsignedLong(uid),
                Integer.toUnsignedLong(gid),
                size,
                modified,
                kind == FileKind.SYMBOLIC_LINK ? Optional.of(linkTarget) : Optional.empty());
    }
}
