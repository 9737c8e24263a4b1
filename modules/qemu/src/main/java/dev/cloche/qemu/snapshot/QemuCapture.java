package dev.cloche.qemu.snapshot;

import dev.cloche.base.Deadline;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.disk.DiskChain;
import dev.cloche.qemu.disk.QemuDisk;
import dev.cloche.qemu.disk.QemuImage;
import dev.cloche.qemu.guard.VmNote;
import dev.cloche.qemu.host.FileDigests;
import dev.cloche.qemu.qmp.ClientPort;
import dev.cloche.qemu.qmp.QemuMigration;
import dev.cloche.qemu.qmp.QemuMonitor;
import dev.cloche.qemu.qmp.QmpConnection;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vmm.SnapshotCapture;
import dev.cloche.vmm.disk.DiskDirectory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;

/** A snapshot of a VM of QEMU: its device state, and its memory as a file or as a stream. */
public final class QemuCapture implements SnapshotCapture {
    static final String MEMORY = "memory";
    static final String STATE = "state";

    private final VmSpec spec;
    private final SnapshotName name;
    private final QemuContext context;
    private final PlatformRecord platform;
    private final QemuDisk disk;
    private final boolean shortened;
    private final QemuSnapshotStore.Draft draft;
    private Optional<SnapshotManifest> taken = Optional.empty();

    private QemuCapture(
            VmSpec spec,
            SnapshotName name,
            QemuContext context,
            PlatformRecord platform,
            QemuDisk disk,
            boolean shortened,
            QemuSnapshotStore.Draft draft) {
        this.spec = spec;
        this.name = name;
        this.context = context;
        this.platform = platform;
        this.disk = disk;
        this.shortened = shortened;
        this.draft = draft;
    }

    /** Prepares all that can be done while the guest runs. */
    public static QemuCapture of(VmSpec spec, SnapshotName name, QemuContext context, Deadline deadline) {
        if (Files.exists(context.snapshots().directory(name))) {
            throw new SnapshotException.Exists(name);
        }
        try {
            PlatformRecord platform = PlatformRecord.read(context.layout().directory(spec.id()));
            // For the digests, which take their time once.
            var _ = platform.key(spec, new TreeSet<>(), context.digests());
            QemuDisk disk = new QemuDisk(spec, context.layout(), context.disks());
            boolean shortened = disk.shorten(deadline);
            return new QemuCapture(
                    spec,
                    name,
                    context,
                    platform,
                    disk,
                    shortened,
                    context.snapshots().draft());
        } catch (IOException e) {
            throw failed(name, e);
        }
    }

    @Override
    public void take(Deadline deadline) {
        try {
            QemuMonitor monitor = new QemuMonitor(context.layout(), spec.id());
            taken = Optional.of(monitor.converse(deadline, qemu -> take(qemu, deadline)));
        } catch (IOException e) {
            throw failed(name, e);
        }
    }

    /** In one conversation, so that no client plugs a port in meanwhile. */
    private SnapshotManifest take(QmpConnection qemu, Deadline deadline) throws IOException {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        boolean mapped = spec.templateMaker();
        Path state = draft.directory().resolve(mapped ? STATE : MEMORY);
        long ram = LiveMemory.bytes(spec.memoryMiB());
        // A page comes with a head of some bytes; devices have a few hundred KiB.
        long limit = ram + ram / 128 + (64L << 20);
        NavigableSet<Integer> ports = pluggedIn(qemu);
        // Before the state is saved: after that the guest's disks are not QEMU's to change.
        int layers = disk.share(qemu, draft.directory(), shortened);
        QemuMigration migration = new QemuMigration(qemu, context.layout().migrationSocket(spec.id()), deadline);
        new QemuImage(spec.rootDisk())
                .putAside(qemu, context.layout().directory(spec.id()), () -> migration.save(state, !mapped, limit));
        SnapshotRef ref = new SnapshotRef(
                name,
                mapped ? SnapshotRef.Kind.MAPPED : SnapshotRef.Kind.STREAMED,
                now,
                spec.memoryMiB(),
                spec.cpus(),
                spec.rootDisk(),
                spec.writable(),
                spec.hasLogPort(),
                spec.hasNetwork());
        return new SnapshotManifest(
                ref,
                platform.key(spec, ports, context.digests()),
                mapped ? ram : Files.size(state),
                Optional.empty(),
                mapped ? Files.size(state) : 0,
                mapped ? FileDigests.sha256(state) : "",
                ports,
                layers,
                disk.sizeMiB());
    }

    private static NavigableSet<Integer> pluggedIn(QmpConnection qemu) throws IOException {
        NavigableSet<Integer> ports = new TreeSet<>();
        for (int port = 1; port <= VmLayout.FORWARDER; port++) {
            if (qemu.has(ClientPort.devicePath(port))) {
                ports.add(port);
            }
        }
        return ports;
    }

    private SnapshotManifest taken() {
        return taken.orElseThrow(() -> new IllegalStateException("nothing was taken"));
    }

    @Override
    public void suspendDisk() {
        if (!(spec.writable() instanceof WritableLayer.Persistent(Path directory))) {
            return;
        }
        try {
            VmNote.SUSPENDED.leaveOrThrow(context.layout().directory(spec.id()));
        } catch (IOException e) {
            throw failed(name, e);
        }
        DiskDirectory disk = new DiskDirectory(directory);
        disk.write(disk.read().suspendedAt(taken().ref()));
    }

    @Override
    public SnapshotRef publish() {
        SnapshotManifest manifest = taken();
        Path directory = draft.directory();
        try {
            if (spec.templateMaker()) {
                Path ram = LiveMemory.placed(context.layout(), spec.id());
                LiveMemory.copy(ram, directory.resolve(MEMORY));
                Files.delete(ram);
                force(directory.resolve(STATE));
            }
            MemoryDigest seal = new SnapshotMemory(directory).seal();
            for (Path layer : DiskChain.layers(directory)) {
                force(layer);
            }
            manifest.sealed(seal).write(directory);
            draft.publish(name);
            return manifest.ref();
        } catch (IOException e) {
            throw failed(name, e);
        }
    }

    private static void force(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public void close() {
        draft.close();
    }

    private static VmException.Storage failed(SnapshotName name, IOException e) {
        return new VmException.Storage(
                "Snapshot " + name + " could not be taken: " + e.getMessage(),
                "Check the space on the disk of the state root; if a part of the installation was replaced, start the VM anew.",
                e);
    }
}
