package dev.cloche.vmm.admission;

import dev.cloche.base.DurableFiles;
import dev.cloche.vmm.FlatJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads and writes claims, see docs/on-disk.md. Not forced to disk: no VM survives its host. */
public final class ClaimFile {
    /** Its name in the directory of a VM. */
    public static final String NAME = "claim.json";

    /** Besides what JSON needs for them, labels may have some 300 KiB. */
    private static final int MOST_BYTES = 2 << 20;

    private static final long VERSION = 1;
    private static final String LABEL = "label ";

    private ClaimFile() {}

    /** Writes the claim of the VM in this directory; every reader finds the former one or this one. */
    public static void write(Path directory, VmClaim claim) throws IOException {
        Path temporary = directory.resolve(NAME + ".tmp");
        Files.deleteIfExists(temporary);
        try (FileChannel channel = DurableFiles.create(temporary)) {
            writeAll(channel, claim);
        }
        Files.move(temporary, directory.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Writes a claim into a file that is open. */
    static void writeAll(FileChannel channel, VmClaim claim) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(FlatJson.write(fields(claim)));
        while (rest.hasRemaining()) {
            channel.write(rest);
        }
    }

    /**
     * Reads the claim of the VM in a directory.
     *
     * @throws IOException if there is none that this program understands
     */
    public static VmClaim read(Path directory) throws IOException {
        return readFile(directory.resolve(NAME));
    }

    static VmClaim readFile(Path file) throws IOException {
        byte[] json;
        try (InputStream in = Files.newInputStream(file)) {
            json = in.readNBytes(MOST_BYTES + 1);
        }
        if (json.length > MOST_BYTES) {
            throw new IOException("it is too long");
        }
        Map<String, Object> fields = FlatJson.read(json);
        if (number(fields, "version") != VERSION) {
            throw new IOException("its version is another one");
        }
        Set<String> labels = fields.keySet().stream()
                .filter(key -> key.startsWith(LABEL))
                .map(key -> key.substring(LABEL.length()))
                .collect(Collectors.toUnmodifiableSet());
        try {
            return new VmClaim(
                    number(fields, "memoryMiB"),
                    number(fields, "overheadMiB"),
                    truth(fields, "mapped"),
                    Math.toIntExact(number(fields, "cpus")),
                    number(fields, "diskMiB"),
                    labels,
                    truth(fields, "pooled"));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IOException("no claim", e);
        }
    }

    private static Map<String, Object> fields(VmClaim claim) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("version", VERSION);
        fields.put("memoryMiB", claim.memoryMiB());
        fields.put("overheadMiB", claim.overheadMiB());
        fields.put("mapped", claim.mapped());
        fields.put("cpus", (long) claim.cpus());
        fields.put("diskMiB", claim.diskMiB());
        fields.put("pooled", claim.pooled());
        claim.labels().stream().sorted().forEach(label -> fields.put(LABEL + label, true));
        return fields;
    }

    private static long number(Map<String, Object> fields, String name) throws IOException {
        if (fields.get(name) instanceof Long value) {
            return value;
        }
        throw new IOException("no valid " + name);
    }

    private static boolean truth(Map<String, Object> fields, String name) throws IOException {
        if (fields.get(name) instanceof Boolean value) {
            return value;
        }
        throw new IOException("no valid " + name);
    }
}
