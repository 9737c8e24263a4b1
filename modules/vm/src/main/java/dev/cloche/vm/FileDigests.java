package dev.cloche.vm;

import dev.cloche.base.DurableFiles;
import dev.cloche.linux.FastSha256;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * SHA-256 of files that hardly ever change: kernel, initramfs, QEMU. What was worked out once is remembered in the state
 * root, because reading them takes longer than a restore. Safe for use from several threads and processes.
 */
final class FileDigests {
    private static final String VERSION = "version";
    private static final long FORMAT = 1;
    /** More than one installation has; whoever exceeds it begins anew. */
    private static final int MAX_ENTRIES = 64;

    private final Path memory;
    private final Map<FileStamp, String> known = new ConcurrentHashMap<>();

    /** @param memory the file to remember them in */
    FileDigests(Path memory) {
        this.memory = memory;
    }

    /** 64 hexadecimal digits. */
    String of(Path path) throws IOException {
        FileStamp stamp = FileStamp.of(path);
        String digest = known.get(stamp);
        if (digest == null) {
            Map<String, Object> remembered = recall();
            digest = remembered.get(stamp.path() + " " + stamp.state()) instanceof String text
                    ? text
                    : compute(stamp, remembered);
            known.put(stamp, digest);
        }
        return digest;
    }

    private String compute(FileStamp stamp, Map<String, Object> remembered) throws IOException {
        String digest = sha256(stamp.path(), FastSha256.fastest());
        if (!FileStamp.of(stamp.path()).equals(stamp)) {
            throw new IOException(stamp.path() + " changes while it is read");
        }
        Map<String, Object> entries = new LinkedHashMap<>();
        entries.put(VERSION, FORMAT);
        if (remembered.size() < MAX_ENTRIES) {
            remembered.forEach((name, value) -> {
                // Of a file that was replaced, only the present state is worth remembering.
                if (!name.equals(VERSION) && !name.startsWith(stamp.path() + " ")) {
                    entries.put(name, value);
                }
            });
        }
        entries.put(stamp.path() + " " + stamp.state(), digest);
        // Two processes that remember something at once: one of them works it out again some time.
        DurableFiles.write(memory, FlatJson.write(entries));
        return digest;
    }

    private Map<String, Object> recall() {
        try {
            Map<String, Object> entries = FlatJson.read(memory);
            return Long.valueOf(FORMAT).equals(entries.get(VERSION)) ? entries : Map.of();
        } catch (IOException noMemory) {
            return Map.of();
        }
    }

    /** Of what is small: more would be worth loading a library for. */
    static String sha256(Path path) throws IOException {
        return sha256(path, sha256());
    }

    private static String sha256(Path path, MessageDigest digest) throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] buffer = new byte[1 << 18];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                digest.update(buffer, 0, n);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    static String sha256(byte[] bytes) {
        return HexFormat.of().formatHex(sha256().digest(bytes));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
