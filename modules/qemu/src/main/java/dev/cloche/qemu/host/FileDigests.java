package dev.cloche.qemu.host;

import dev.cloche.base.DurableFiles;
import dev.cloche.base.FileStamp;
import dev.cloche.linux.FastSha256;
import dev.cloche.vmm.FlatJson;
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
public final class FileDigests {
    private static final String VERSION = "version";
    private static final long FORMAT = 1;
    /** More than one installation has; when it is exceeded, the table begins anew. */
    private static final int MAX_ENTRIES = 64;

    private final Path memory;
    private final Map<String, String> known = new ConcurrentHashMap<>();

    /** @param memory the file to remember them in */
    public FileDigests(Path memory) {
        this.memory = memory;
    }

    /** Returns 64 hexadecimal digits. */
    public String of(Path path) throws IOException {
        Path real = path.toRealPath();
        String name = name(real);
        String digest = known.get(name);
        if (digest == null) {
            Map<String, Object> remembered = recall();
            digest = remembered.get(name) instanceof String text ? text : compute(real, name, remembered);
            known.put(name, digest);
        }
        return digest;
    }

    /** By which the digest of a file's present state is remembered. */
    private static String name(Path real) throws IOException {
        return real + " " + FileStamp.of(real).state();
    }

    private String compute(Path real, String name, Map<String, Object> remembered) throws IOException {
        String digest = sha256(real, FastSha256.fastest());
        if (!name(real).equals(name)) {
            throw new IOException(real + " changes while it is read");
        }
        Map<String, Object> entries = new LinkedHashMap<>();
        entries.put(VERSION, FORMAT);
        if (remembered.size() < MAX_ENTRIES) {
            remembered.forEach((other, value) -> {
                // Of a file that was replaced, only the present state is worth remembering.
                if (!other.equals(VERSION) && !other.startsWith(real + " ")) {
                    entries.put(other, value);
                }
            });
        }
        entries.put(name, digest);
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

    /** Returns the digest of what is small: more would be worth loading a library for. */
    public static String sha256(Path path) throws IOException {
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

    public static String sha256(byte[] bytes) {
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
