package dev.cloche.qemu.guard;

import dev.cloche.base.ClocheException;
import dev.cloche.base.EnumNames;
import dev.cloche.base.Printable;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmAdmission;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vmm.FlatJson;
import dev.cloche.vmm.JsonFields;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A VM's spec in its directory, so that any process can adopt the VM; see docs/on-disk.md. Whole for every reader, but not
 * forced to disk: no VM survives its host.
 */
public final class StoredSpec {
    private static final String FILE = "spec.json";
    private static final long VERSION = 1;

    private StoredSpec() {}

    public static void write(Path directory, VmSpec spec) throws IOException {
        Path temporary = directory.resolve(FILE + ".tmp");
        PrivateFiles.write(temporary, FlatJson.write(fields(spec)));
        Files.move(temporary, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * Reads what a VM is made of.
     *
     * @throws VmException.Storage if there is none that this program understands
     */
    public static VmSpec read(Path directory, VmId id) {
        try {
            return spec(id, JsonFields.read(directory.resolve(FILE), VERSION));
        } catch (IOException | DateTimeException | ArithmeticException | VmException.Invalid e) {
            throw new VmException.Storage(
                    "What VM " + id + " is made of cannot be read from " + FILE + ": " + ClocheException.sentenceOf(e),
                    "Stop the VM by its id; it can still be killed and destroyed.",
                    e);
        }
    }

    private static Map<String, Object> fields(VmSpec spec) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("version", VERSION);
        fields.put("attached", spec.attached());
        spec.maxDuration().ifPresent(limit -> fields.put("maxDurationMillis", limit.toMillis()));
        fields.put("ownerGraceMillis", spec.ownerGrace().toMillis());
        spec.outputLogBytes().ifPresent(bytes -> fields.put("outputLogBytes", bytes));
        fields.put("templateMaker", spec.templateMaker());
        spec.isolation().ifPresent(least -> fields.put("isolation", EnumNames.of(least)));
        spec.throttle().iops().ifPresent(iops -> fields.put("diskIops", (long) iops));
        spec.throttle().bytesPerSecond().ifPresent(bytes -> fields.put("diskBytesPerSecond", bytes));
        if (spec.network() instanceof NetworkSpec.User user) {
            fields.put("ports", NetworkRecord.text(user.ports()));
            user.nameServer().ifPresent(address -> fields.put("nameServer", address));
        }
        putMachine(fields, spec.memoryMiB(), spec.cpus(), spec.rootDisk(), spec.writable());
        spec.snapshot().ifPresent(taken -> {
            fields.put("snapshot", taken.name().value());
            fields.put("snapshotKind", taken.kind().name());
            fields.put("snapshotCreatedAt", taken.createdAt().toEpochMilli());
            fields.put("snapshotOutputLog", taken.outputLog());
            fields.put("snapshotNetwork", taken.network());
        });
        return fields;
    }

    /** Puts what a snapshot's manifest says too. */
    public static void putMachine(
            Map<String, Object> fields, int memoryMiB, int cpus, RootDisk rootDisk, WritableLayer writable) {
        fields.put("memoryMiB", (long) memoryMiB);
        fields.put("cpus", (long) cpus);
        fields.put("rootDisk", rootDisk.path().toString());
        fields.put("rootDiskFormat", rootDisk.format().name());
        rootDisk.contents().ifPresent(name -> fields.put("rootDiskContents", name));
        switch (writable) {
            case WritableLayer.InMemory _ -> {}
            case WritableLayer.Disk(int sizeMiB) -> fields.put("writableDiskMiB", (long) sizeMiB);
            case WritableLayer.Persistent(Path directory) -> fields.put("writableDisk", directory.toString());
        }
    }

    public static RootDisk rootDisk(JsonFields fields) throws IOException {
        try {
            return new RootDisk(
                    Path.of(fields.text("rootDisk")),
                    RootDisk.Format.valueOf(fields.text("rootDiskFormat")),
                    fields.optionalText("rootDiskContents"));
        } catch (IllegalArgumentException e) {
            throw new IOException("no valid rootDisk", e);
        }
    }

    public static WritableLayer writable(JsonFields fields) throws IOException {
        Optional<String> persistent = fields.optionalText("writableDisk");
        if (persistent.isPresent()) {
            return WritableLayer.persistent(path(persistent.get()));
        }
        return fields.optionalNumber("writableDiskMiB").isPresent()
                ? WritableLayer.disk(fields.smallNumber("writableDiskMiB"))
                : WritableLayer.inMemory();
    }

    private static Path path(String text) throws IOException {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new IOException("no valid path", e);
        }
    }

    private static VmSpec spec(VmId id, JsonFields fields) throws IOException {
        int memory = fields.smallNumber("memoryMiB");
        int cpus = fields.smallNumber("cpus");
        RootDisk root = rootDisk(fields);
        WritableLayer writable = writable(fields);
        Optional<String> name = fields.optionalText("snapshot");
        Optional<SnapshotRef> snapshot = name.isEmpty()
                ? Optional.empty()
                : Optional.of(new SnapshotRef(
                        new SnapshotName(name.get()),
                        kind(fields.text("snapshotKind")),
                        Instant.ofEpochMilli(fields.number("snapshotCreatedAt")),
                        memory,
                        cpus,
                        root,
                        writable,
                        fields.truth("snapshotOutputLog"),
                        fields.optionalTruth("snapshotNetwork")));
        return new VmSpec(
                id,
                memory,
                cpus,
                root,
                writable,
                fields.truth("attached"),
                fields.optionalNumber("maxDurationMillis").map(Duration::ofMillis),
                Duration.ofMillis(fields.number("ownerGraceMillis")),
                fields.optionalNumber("outputLogBytes").map(OptionalLong::of).orElseGet(OptionalLong::empty),
                snapshot,
                fields.truth("templateMaker"),
                network(fields),
                isolation(fields),
                throttle(fields),
                VmAdmission.NONE);
    }

    private static Optional<Isolation> isolation(JsonFields fields) throws IOException {
        Optional<String> word = fields.optionalText("isolation");
        Optional<Isolation> least = word.flatMap(text -> EnumNames.find(Isolation.class, text));
        if (word.isPresent() && least.isEmpty()) {
            throw new IOException("no valid isolation");
        }
        return least;
    }

    private static WritableLayer.Throttle throttle(JsonFields fields) throws IOException {
        OptionalInt iops = fields.optionalNumber("diskIops").isPresent()
                ? OptionalInt.of(fields.smallNumber("diskIops"))
                : OptionalInt.empty();
        return new WritableLayer.Throttle(
                iops,
                fields.optionalNumber("diskBytesPerSecond")
                        .map(OptionalLong::of)
                        .orElseGet(OptionalLong::empty));
    }

    /** With the ports as they were asked for, not those that it got. */
    private static NetworkSpec network(JsonFields fields) throws IOException {
        Optional<String> ports = fields.optionalText("ports");
        return ports.isEmpty()
                ? NetworkSpec.none()
                : new NetworkSpec.User(NetworkRecord.ports(ports.get()), fields.optionalText("nameServer"));
    }

    public static SnapshotRef.Kind kind(String name) throws IOException {
        try {
            return SnapshotRef.Kind.valueOf(name);
        } catch (IllegalArgumentException e) {
            throw new IOException("'" + Printable.of(name) + "' is no kind of snapshot", e);
        }
    }
}
