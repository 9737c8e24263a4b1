package dev.cloche.vm.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.cloche.linux.DirectoryHandle;
import dev.cloche.linux.FileHandle;
import dev.cloche.linux.FileStatus;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** A tree of the host with everything that a copy could get wrong, and a description of any tree to compare copies by. */
final class EdgeCaseTree {
    static final Instant TIME = Instant.ofEpochSecond(1_111_111_111, 123_456_789);
    static final long SPARSE_SIZE = 64L << 20;
    static final long HOLE_UNTIL = 48L << 20;
    private static final int DEPTH = 40;
    private static final int MOST_AT_ONCE = 1 << 20;

    private EdgeCaseTree() {}

    /** Makes it under a name in a directory. */
    static void make(Path parent, String name) {
        try (DirectoryHandle in = DirectoryHandle.open(parent)) {
            in.makeDirectory(name, 0700);
            try (DirectoryHandle root = in.openDirectory(name)) {
                file(root, "plain", 0644, 10);
                file(root, "empty", 0600, 0);
                file(root, "set-user-id", 04755, 1);
                file(root, "no user may read", 0000, 5);
                file(root, "new\nline\t\"quote' -rf", 0640, 3);
                file(root, "\u00fc\u6f22\ud83d\ude00", 0640, 3);
                file(root, "no utf-8 \udcff\udcc3", 0640, 3);
                file(root, "x".repeat(255), 0640, 3);
                file(root, "several chunks", 0640, 300_001);
                sparse(root);
                root.makeLink("dangling", "../no/such");
                root.makeLink("absolute", "/etc/passwd");
                root.makeLink("circle", "circle");
                root.makeLink("long", "y/".repeat(1000));
                root.setModified("dangling", TIME);
                root.makeDirectory("empty directory", 0700);
                root.makeDirectory("read-only", 0700);
                try (DirectoryHandle readOnly = root.openDirectory("read-only")) {
                    file(readOnly, "inside", 0444, 4);
                    seal(readOnly, 0555);
                }
                deep(root, DEPTH);
                seal(root, 0750);
            }
        }
    }

    private static void deep(DirectoryHandle parent, int left) {
        if (left == 0) {
            file(parent, "bottom", 0644, 1);
            return;
        }
        parent.makeDirectory("level " + left, 0700);
        try (DirectoryHandle next = parent.openDirectory("level " + left)) {
            deep(next, left - 1);
            seal(next, 0711);
        }
    }

    private static void seal(DirectoryHandle directory, int mode) {
        directory.setMode(mode);
        directory.setModified(TIME.plusNanos(7));
    }

    static void file(DirectoryHandle directory, String name, int mode, int size) {
        byte[] bytes = new byte[size];
        RandomGenerator.of("L64X128MixRandom").nextBytes(bytes);
        try (FileHandle file = directory.createFile(name, 0600)) {
            file.write(ByteBuffer.allocateDirect(size).put(bytes).flip(), 0);
            file.setMode(mode);
            file.setModified(TIME.plusSeconds(size));
        }
    }

    private static void sparse(DirectoryHandle directory) {
        try (FileHandle file = directory.createFile("sparse", 0600)) {
            file.write(
                    ByteBuffer.allocateDirect(4096)
                            .put("s".repeat(4096).getBytes(UTF_8))
                            .flip(),
                    HOLE_UNTIL);
            file.setSize(SPARSE_SIZE);
            file.setModified(TIME);
        }
    }

    /** Path, kind, mode, time and content of everything in a tree. */
    static Map<String, String> describe(Path parent, String name, int modeMask) {
        Map<String, String> all = new TreeMap<>();
        try (DirectoryHandle in = DirectoryHandle.open(parent)) {
            describe(in, name, "", modeMask, all);
        }
        return all;
    }

    private static void describe(DirectoryHandle in, String part, String path, int modeMask, Map<String, String> all) {
        FileStatus status = in.status(part).orElseThrow();
        String text = Integer.toOctalString(status.type()) + " " + status.modified();
        if (!status.isLink()) {
            text += " " + Integer.toOctalString(status.permissions() & modeMask);
        }
        if (status.isFile()) {
            text += " " + status.size() + " " + digest(in, part, status.size());
        } else if (status.isLink()) {
            text += " " + in.readLink(part);
        } else {
            try (DirectoryHandle directory = in.openDirectory(part)) {
                for (String name : directory.names()) {
                    describe(directory, name, path + "/" + name, modeMask, all);
                }
            }
        }
        all.put(path, text);
    }

    private static String digest(DirectoryHandle in, String part, long size) {
        try (FileHandle file = in.openFile(part)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            // No larger than is needed: of thousands of files, a MiB for each would be collected and cleared over and
            // over.
            ByteBuffer chunk = ByteBuffer.allocateDirect(Math.clamp(size, 1, MOST_AT_ONCE));
            long at = 0;
            int count = file.read(chunk, at);
            while (count > 0) {
                digest.update(chunk.flip());
                at += count;
                count = file.read(chunk.clear(), at);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
