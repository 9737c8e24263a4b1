package dev.cloche.erofs;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Trees with one of everything. */
final class SampleTrees {
    static final Attributes ODD = new Attributes(06751, -2, 70_000, -12_345, 987_654_321, Xattrs.NONE);

    private SampleTrees() {}

    static Directory everything(ErofsWriter writer) throws IOException {
        Directory root = new Directory(Attributes.ofRoot(0755));
        byte[] content = "hello".getBytes(StandardCharsets.UTF_8);
        RegularFile file = new RegularFile(ODD.withXattrs(binaryXattrs()), append(writer, content));
        root.put(Bytes.utf8("file"), file);
        root.put(Bytes.utf8("link"), file);
        root.put(Bytes.utf8("empty"), new RegularFile(ODD, FileData.empty()));
        root.put(Bytes.utf8("short"), new Symlink(ODD, Bytes.utf8("file")));
        root.put(Bytes.utf8("long"), new Symlink(ODD, Bytes.utf8("x".repeat(Symlink.MAX_TARGET))));
        root.put(Bytes.utf8("char"), new SpecialFile(ODD, SpecialFile.Kind.CHARACTER_DEVICE, 0xabc, 0xfedcb));
        root.put(Bytes.utf8("block"), new SpecialFile(ODD, SpecialFile.Kind.BLOCK_DEVICE, 8, 1));
        root.put(Bytes.utf8("fifo"), new SpecialFile(ODD, SpecialFile.Kind.FIFO, 0, 0));
        root.put(Bytes.utf8("socket"), new SpecialFile(ODD, SpecialFile.Kind.SOCKET, 0, 0));
        root.put(Bytes.utf8("sparse"), new RegularFile(ODD, sparse(writer)));
        root.put(Bytes.utf8("big xattr"), new RegularFile(ODD.withXattrs(bigXattr()), FileData.empty()));
        root.put(Bytes.of(new byte[] {(byte) 0xff, '\n'}), new RegularFile(ODD, FileData.empty()));
        Directory big = new Directory(ODD.withXattrs(binaryXattrs()));
        for (int i = 0; i < 3_000; i++) {
            big.put(Bytes.utf8("entry-" + i), new RegularFile(ODD, FileData.empty()));
        }
        // Before the dots, between them, and behind.
        for (String name : new String[] {"!", "+a", ".-", ".a", "...", "..a"}) {
            big.put(Bytes.utf8(name), new Directory(ODD));
        }
        root.put(Bytes.utf8("big"), big);
        return root;
    }

    private static FileData append(ErofsWriter writer, byte[] content) throws IOException {
        return writer.append(new ByteArrayInputStream(content), content.length);
    }

    private static FileData sparse(ErofsWriter writer) throws IOException {
        SparseData sparse = writer.sparse(100_000);
        byte[] content = new byte[5_000];
        content[0] = 1;
        sparse.data(10_000, content.length, new ByteArrayInputStream(content));
        sparse.data(99_999, 1, new ByteArrayInputStream(new byte[] {7}));
        return sparse.finish();
    }

    static Xattrs binaryXattrs() {
        return Xattrs.of(Map.of(
                Bytes.utf8("security.capability"),
                Bytes.of(new byte[] {1, 0, 0, 2, (byte) 0x80, 0, 0, 0, (byte) 0xff, (byte) 0xfe, 0, 0}),
                Bytes.utf8("user.empty"),
                Bytes.EMPTY,
                Bytes.utf8("trusted.x"),
                Bytes.utf8("y"),
                Bytes.utf8("system.posix_acl_default"),
                Bytes.of(new byte[] {2, 0, 0, 0})));
    }

    private static Xattrs bigXattr() {
        return Xattrs.NONE
                .with(Bytes.utf8("user.big"), Bytes.of(new byte[XattrCodec.MAX_VALUE]))
                .with(Bytes.utf8("user." + "n".repeat(XattrCodec.MAX_NAME)), Bytes.utf8("v"));
    }
}
