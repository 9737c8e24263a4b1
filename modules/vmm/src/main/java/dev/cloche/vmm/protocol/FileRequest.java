package dev.cloche.vmm.protocol;

import java.nio.charset.StandardCharsets;

/** Describes the payload of FILE in docs/guest-protocol.md. */
public record FileRequest(
        int operation, int flags, int mode, long offset, long length, String path, String target, String user) {
    public static final int STAT = 1;
    public static final int LIST = 2;
    public static final int READ = 3;
    public static final int WRITE = 4;
    public static final int MKDIR = 5;
    public static final int REMOVE = 6;
    public static final int RENAME = 7;
    public static final int COPY_OUT = 8;
    public static final int COPY_IN = 9;
    public static final int WATCH = 10;
    public static final int DIFF = 11;
    public static final int ATTRIBUTES = 12;

    /** Of STAT, COPY_OUT and ATTRIBUTES. */
    public static final int FOLLOW = 1;

    /** Of LIST, whose length is a depth then. */
    public static final int TO_DEPTH = 1;

    /** Of STAT and LIST. */
    public static final int DETAILS = 2;

    /** Of WRITE. */
    public static final int EXCLUSIVE = 1;

    public static final int APPEND = 2;
    public static final int TRUNCATE = 4;
    public static final int WRITE_OWNER = 8;

    /** Of MKDIR. */
    public static final int PARENTS = 1;

    public static final int MKDIR_OWNER = 2;

    /** Of REMOVE. */
    static final int TREE = 1;

    /** Of RENAME. */
    public static final int KEEP = 1;

    /** Of COPY_IN. */
    public static final int OWNERS = 1;

    /** Of WATCH. */
    public static final int BELOW = 1;

    public static final int ENTRIES = 2;

    /** Of ATTRIBUTES, which has {@link #FOLLOW} too. */
    public static final int SET_MODE = 2;

    public static final int SET_OWNER = 4;

    private static final int MAX_USER = 512;

    public static FileRequest of(int operation, boolean flag, String path, String user) {
        return new FileRequest(operation, flag ? 1 : 0, 0, 0, 0, path, "", user);
    }

    public boolean hasInput() {
        return operation == WRITE || operation == COPY_IN || operation == ATTRIBUTES;
    }

    /** Says what a guest was asked, with the credit that it got for its answer. */
    public record Received(FileRequest request, int credit) {}

    public static Received parse(PayloadReader in) {
        int operation = in.u32();
        int flags = in.u32();
        int credit = in.u32(1, Frame.MAX_CREDIT);
        FileRequest request = new FileRequest(
                operation,
                flags,
                in.u32(0, FileEntry.MAX_MODE),
                in.u63(),
                in.u64(),
                path(in),
                path(in),
                new String(in.text(MAX_USER), StandardCharsets.UTF_8));
        in.end();
        return new Received(request, credit);
    }

    private static String path(PayloadReader in) {
        return GuestPaths.withoutNul(in, in.text(GuestPaths.MAX));
    }

    public byte[] payload(int credit) {
        return new PayloadWriter()
                .u32(operation)
                .u32(flags)
                .u32(credit)
                .u32(mode)
                .u64(offset)
                .u64(length)
                .name(path)
                .name(target)
                .text(user)
                .toBytes();
    }
}
