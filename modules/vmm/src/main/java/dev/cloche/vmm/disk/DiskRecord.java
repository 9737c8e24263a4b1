package dev.cloche.vmm.disk;

import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmException;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vmm.FlatJson;
import dev.cloche.vmm.JsonFields;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What {@code disk.json} says of a persistent disk; see docs/on-disk.md.
 *
 * @param suspension the snapshot that it is exactly as of; empty once a guest may have written to it since
 */
public record DiskRecord(int sizeMiB, Optional<Suspension> suspension) {
    private static final long VERSION = 1;

    /** Describes a snapshot, told apart from a later one of its name. */
    record Suspension(SnapshotName name, Instant createdAt) {
        static Suspension of(SnapshotRef ref) {
            return new Suspension(ref.name(), ref.createdAt());
        }
    }

    public DiskRecord {
        WritableLayer.Disk.requireSize(sizeMiB);
    }

    public DiskRecord withSize(int value) {
        return new DiskRecord(value, suspension);
    }

    public DiskRecord suspendedAt(SnapshotRef ref) {
        return new DiskRecord(sizeMiB, Optional.of(Suspension.of(ref)));
    }

    DiskRecord movedOn() {
        return new DiskRecord(sizeMiB, Optional.empty());
    }

    boolean isAsOf(SnapshotRef ref) {
        return suspension.filter(Suspension.of(ref)::equals).isPresent();
    }

    byte[] json() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("version", VERSION);
        fields.put("sizeMiB", (long) sizeMiB);
        suspension.ifPresent(at -> {
            fields.put("snapshot", at.name().value());
            fields.put("snapshotCreatedAt", at.createdAt().toEpochMilli());
        });
        return FlatJson.write(fields);
    }

    static DiskRecord read(Path file) throws IOException {
        JsonFields fields = JsonFields.read(file, VERSION);
        Optional<String> name = fields.optionalText("snapshot");
        try {
            return new DiskRecord(
                    fields.smallNumber("sizeMiB"),
                    name.isEmpty()
                            ? Optional.empty()
                            : Optional.of(new Suspension(
                                    new SnapshotName(name.get()),
                                    Instant.ofEpochMilli(fields.number("snapshotCreatedAt")))));
        } catch (VmException.Invalid e) {
            throw new IOException(e.getMessage(), e);
        }
    }
}
