package dev.cloche.qemu.snapshot;

import dev.cloche.base.DurableFiles;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.guard.StoredSpec;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.FlatJson;
import dev.cloche.vmm.JsonFields;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Reads and writes a snapshot's {@code manifest.json}; see docs/on-disk.md.
 *
 * @param memoryBytes size of the file {@code memory}
 * @param seal what it was when it was written; empty of programs that kept no seal
 * @param stateBytes size of the file {@code state}; 0 if there is none, because the memory's stream holds it
 * @param stateDigest SHA-256 of that file
 * @param ports those of clients that are plugged in
 * @param diskLayers how many files the writable disk consists of; 0 without one
 * @param diskMiB its size as the guest sees it; 0 without one
 */
public record SnapshotManifest(
        SnapshotRef ref,
        SnapshotKey key,
        long memoryBytes,
        Optional<MemoryDigest> seal,
        long stateBytes,
        String stateDigest,
        NavigableSet<Integer> ports,
        int diskLayers,
        int diskMiB) {
    public static final String FILE = "manifest.json";
    private static final long VERSION = 1;
    private static final String KEY = "key.";
    private static final String MEMORY_DIGEST = "memoryDigest";
    private static final String MEMORY_STAMP = "memoryStamp";

    SnapshotManifest sealed(MemoryDigest memory) {
        return new SnapshotManifest(
                ref, key, memoryBytes, Optional.of(memory), stateBytes, stateDigest, ports, diskLayers, diskMiB);
    }

    /** Returns that of a snapshot of the same content under another name. */
    SnapshotManifest copied(SnapshotName to) {
        return new SnapshotManifest(
                ref.copied(to, Instant.now().truncatedTo(ChronoUnit.MILLIS)),
                key,
                memoryBytes,
                seal,
                stateBytes,
                stateDigest,
                ports,
                diskLayers,
                diskMiB);
    }

    void write(Path directory) throws IOException {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("version", VERSION);
        fields.put("name", ref.name().value());
        fields.put("kind", ref.kind().name());
        fields.put("createdAt", ref.createdAt().toEpochMilli());
        StoredSpec.putMachine(fields, ref.memoryMiB(), ref.cpus(), ref.rootDisk(), ref.writable());
        fields.put("outputLog", ref.outputLog());
        fields.put("network", ref.network());
        fields.put("memoryBytes", memoryBytes);
        seal.ifPresent(memory -> {
            fields.put(MEMORY_DIGEST, memory.digest());
            fields.put(MEMORY_STAMP, memory.stamp());
        });
        fields.put("stateBytes", stateBytes);
        fields.put("stateDigest", stateDigest);
        fields.put("ports", ports.stream().map(String::valueOf).collect(Collectors.joining(" ")));
        fields.put("diskLayers", (long) diskLayers);
        fields.put("diskMiB", (long) diskMiB);
        key.fields().forEach((name, value) -> fields.put(KEY + name, value));
        DurableFiles.write(directory.resolve(FILE), FlatJson.write(fields));
    }

    /** @throws IOException if it is missing or not understood */
    static SnapshotManifest read(Path directory) throws IOException {
        JsonFields fields = JsonFields.read(directory.resolve(FILE), VERSION);
        Map<String, String> key = new TreeMap<>();
        fields.all().forEach((name, value) -> {
            if (name.startsWith(KEY) && value instanceof String text) {
                key.put(name.substring(KEY.length()), text);
            }
        });
        try {
            SnapshotRef ref = new SnapshotRef(
                    new SnapshotName(fields.text("name")),
                    StoredSpec.kind(fields.text("kind")),
                    Instant.ofEpochMilli(fields.number("createdAt")),
                    fields.smallNumber("memoryMiB"),
                    fields.smallNumber("cpus"),
                    StoredSpec.rootDisk(fields),
                    StoredSpec.writable(fields),
                    fields.truth("outputLog"),
                    fields.optionalTruth("network"));
            return new SnapshotManifest(
                    ref,
                    SnapshotKey.of(key),
                    fields.number("memoryBytes"),
                    seal(fields),
                    fields.number("stateBytes"),
                    fields.text("stateDigest"),
                    ports(fields.text("ports")),
                    fields.smallNumber("diskLayers"),
                    fields.smallNumber("diskMiB"));
        } catch (VmException.Invalid e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** One that has a digest has a stamp too. */
    private static Optional<MemoryDigest> seal(JsonFields fields) throws IOException {
        Optional<String> digest = fields.optionalText(MEMORY_DIGEST);
        return digest.isPresent()
                ? Optional.of(new MemoryDigest(digest.get(), fields.text(MEMORY_STAMP)))
                : Optional.empty();
    }

    private static NavigableSet<Integer> ports(String text) throws IOException {
        try {
            NavigableSet<Integer> ports = new TreeSet<>();
            Arrays.stream(text.split(" "))
                    .filter(word -> !word.isEmpty())
                    .map(Integer::valueOf)
                    .forEach(ports::add);
            if (!ports.isEmpty() && (ports.first() < 1 || ports.last() > VmLayout.FORWARDER)) {
                throw new IOException("no valid ports");
            }
            return ports;
        } catch (NumberFormatException e) {
            throw new IOException("no valid ports", e);
        }
    }
}
