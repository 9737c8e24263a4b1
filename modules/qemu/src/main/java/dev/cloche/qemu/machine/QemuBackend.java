package dev.cloche.qemu.machine;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.disk.DiskLayers;
import dev.cloche.qemu.guard.ConsoleTail;
import dev.cloche.qemu.guard.GuardFiles;
import dev.cloche.qemu.guard.GuardLimit;
import dev.cloche.qemu.guard.PoolFiles;
import dev.cloche.qemu.guard.RuntimeDirectory;
import dev.cloche.qemu.guard.VmDirectory;
import dev.cloche.qemu.guard.VmNote;
import dev.cloche.qemu.guard.VmRemoval;
import dev.cloche.qemu.host.DescriptorLimit;
import dev.cloche.qemu.launch.QemuLaunch;
import dev.cloche.qemu.qmp.QemuMigration;
import dev.cloche.qemu.qmp.QemuMonitor;
import dev.cloche.qemu.qmp.QmpCommand;
import dev.cloche.qemu.qmp.QmpConnection;
import dev.cloche.qemu.snapshot.LiveMemory;
import dev.cloche.qemu.snapshot.PlatformRecord;
import dev.cloche.qemu.snapshot.QemuCapture;
import dev.cloche.qemu.snapshot.QemuContext;
import dev.cloche.qemu.snapshot.SnapshotPin;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vmm.RunningVm;
import dev.cloche.vmm.SnapshotCapture;
import dev.cloche.vmm.VmBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Boots one VM under its guard, or restores it. */
public final class QemuBackend implements VmBackend {
    private final VmSpec spec;
    private final QemuContext context;
    private final VmLayout layout;
    private final GuardFiles files;
    private final PoolFiles pool;
    private final GuardStart guard;
    private final AtomicReference<Optional<LockFile>> ownerLock;

    /** @param ownerLock held already; this machine lets go of it */
    public QemuBackend(VmSpec spec, QemuContext context, LockFile ownerLock) {
        this.spec = spec;
        this.context = context;
        this.ownerLock = new AtomicReference<>(Optional.of(ownerLock));
        layout = context.layout();
        files = new GuardFiles(layout.directory(spec.id()));
        pool = new PoolFiles(layout.directory(spec.id()));
        guard = new GuardStart(spec, context);
    }

    @Override
    public RunningVm boot(Deadline deadline) {
        return begin(false, deadline);
    }

    @Override
    public RunningVm load(Deadline deadline) {
        return begin(true, deadline);
    }

    /** @param halted whether a restored guest stays so */
    private RunningVm begin(boolean halted, Deadline deadline) {
        DescriptorLimit.require();
        if (!Files.isReadable(spec.rootDisk().path())) {
            throw new VmException.MissingResource(
                    "The root disk " + spec.rootDisk().path() + " is missing or not readable",
                    "Pull its image again.",
                    null);
        }
        files.clear();
        if (!spec.attached()) {
            files.detach();
        }
        try {
            RuntimeDirectory.ensure(layout);
            PlatformRecord platform =
                    PlatformRecord.of(spec, context.resources(), context.host().get());
            platform.write(layout.directory(spec.id()));
            return spec.snapshot().isPresent() ? restore(platform, halted, deadline) : coldBoot(deadline);
        } catch (IOException e) {
            throw new VmException.Storage(
                    "VM " + spec.id() + " cannot be prepared: " + e.getMessage(),
                    "Check the owner and mode of the state root and the space on its disk.",
                    e);
        }
    }

    private RunningVm coldBoot(Deadline deadline) throws IOException {
        QemuLaunch.Ram ram = spec.templateMaker()
                ? new QemuLaunch.Ram.Shared(LiveMemory.begin(layout, spec))
                : new QemuLaunch.Ram.Anonymous();
        // Its interface has neither address nor name server until the host gives it one.
        identityOwed(spec.hasNetwork());
        return switch (spec.writable()) {
            case WritableLayer.InMemory _ -> guard.start(QemuLaunch.boot(ram, Optional.empty()), deadline, () -> {});
            case WritableLayer.Disk(int sizeMiB) -> {
                DiskLayers layers = context.disk(spec.id()).begin(layout.blanks(), sizeMiB);
                yield guard.start(
                        QemuLaunch.boot(ram, Optional.of(QemuLaunch.Disk.ofTheVm(layers))), deadline, () -> {});
            }
            case WritableLayer.Persistent(Path directory) -> {
                try (PersistentDiskAttachment disk = new PersistentDiskAttachment(directory, context.disks())) {
                    yield guard.start(QemuLaunch.boot(ram, Optional.of(disk.asItIs())), deadline, () -> {});
                }
            }
        };
    }

    private RunningVm restore(PlatformRecord platform, boolean halted, Deadline deadline) throws IOException {
        identityOwed(true);
        try (SnapshotPin pin = SnapshotPin.open(context, spec, platform)) {
            return switch (spec.writable()) {
                case WritableLayer.InMemory _ -> restore(pin, Optional.empty(), letGo(halted, () -> {}), deadline);
                case WritableLayer.Disk(int sizeMiB) -> {
                    DiskLayers layers = context.disk(spec.id()).begin(pin.disk(context.disks()), sizeMiB);
                    yield restore(pin, Optional.of(QemuLaunch.Disk.ofTheVm(layers)), letGo(halted, () -> {}), deadline);
                }
                case WritableLayer.Persistent(Path directory) -> {
                    try (PersistentDiskAttachment disk = new PersistentDiskAttachment(directory, context.disks())) {
                        QemuLaunch.Disk top = disk.asOf(spec.snapshot().orElseThrow(), pin.disk(context.disks()));
                        yield restore(pin, Optional.of(top), letGo(halted, disk::movesOn), deadline);
                    }
                }
            };
        }
    }

    /** Says what becomes of a guest whose memory is there. */
    private interface Loaded {
        void in(QmpConnection qemu) throws IOException;
    }

    /** @param movesOn what is to be done before a guest goes on; the process that has a halted one go on does it */
    private Loaded letGo(boolean halted, GuardStart.Step movesOn) {
        return qemu -> {
            if (halted) {
                VmNote.SUSPENDED.leaveOrThrow(layout.directory(spec.id()));
            } else {
                movesOn.run();
                var _ = qemu.execute(QmpCommand.of("cont"));
            }
        };
    }

    private RunningVm restore(SnapshotPin pin, Optional<QemuLaunch.Disk> disk, Loaded loaded, Deadline deadline)
            throws IOException {
        return guard.start(pin.launch(ram(pin), disk), deadline, () -> load(pin, loaded, deadline));
    }

    private QemuLaunch.Ram ram(SnapshotPin pin) throws IOException {
        if (!spec.templateMaker()) {
            return pin.mapped() ? new QemuLaunch.Ram.Private(pin.memory()) : new QemuLaunch.Ram.Anonymous();
        }
        if (!pin.mapped()) {
            return new QemuLaunch.Ram.Shared(LiveMemory.begin(layout, spec));
        }
        Path ram = LiveMemory.place(layout, spec);
        LiveMemory.copy(pin.memory(), ram);
        return new QemuLaunch.Ram.Shared(ram);
    }

    private void load(SnapshotPin pin, Loaded loaded, Deadline deadline) throws IOException {
        boolean _ = new QemuMonitor(layout, spec.id()).converse(deadline, qemu -> {
            new QemuMigration(qemu, layout.migrationSocket(spec.id()), deadline).load(pin.stream(), !pin.mapped());
            loaded.in(qemu);
            return true;
        });
    }

    @Override
    public SnapshotCapture capture(SnapshotName name, Deadline deadline) {
        return QemuCapture.of(spec, name, context, deadline);
    }

    @Override
    public void identityOwed(boolean owed) {
        files.identityOwed(owed);
    }

    @Override
    public boolean identityOwed() {
        return files.identityOwed();
    }

    @Override
    public void capturing(boolean halted) {
        files.capturing(halted);
    }

    @Override
    public boolean capturing() {
        return files.capturing();
    }

    @Override
    public boolean shelve() {
        return inPool(() -> {
            boolean forPool = pool.slot().isPresent();
            if (forPool) {
                pool.shelve();
            }
            return forPool;
        });
    }

    @Override
    public boolean claim() {
        return inPool(pool::claim);
    }

    private interface PoolStep {
        boolean take() throws IOException;
    }

    private boolean inPool(PoolStep step) {
        try {
            return step.take();
        } catch (IOException e) {
            throw new VmException.Storage(
                    "The place of VM " + spec.id() + " in its pool cannot be noted: " + e.getMessage(),
                    "Check the disk of the state root.",
                    e);
        }
    }

    @Override
    public boolean limit(Duration longest) {
        return new GuardLimit(files, layout.directory(spec.id())).announce(longest);
    }

    @Override
    public void startFailed() {
        VmNote.START_FAILED.leave(layout.directory(spec.id()));
    }

    @Override
    public String consoleTail() {
        return ConsoleTail.of(files.console());
    }

    @Override
    public Optional<String> advice() {
        return context.host().get().capabilities().proven()
                ? Optional.empty()
                : Optional.of("Unset CLOCHE_ACCELERATOR, which insists on KVM: a tiny guest did not run on it either"
                        + " (Cloche.examine(options) says more).");
    }

    @Override
    public boolean mend() {
        return context.resources().origin().mending().getAsBoolean();
    }

    @Override
    public void destroy() {
        if (ownerLock.get().isEmpty() && Files.exists(layout.directory(spec.id()))) {
            try {
                ownerLock.set(Optional.of(VmDirectory.own(layout, spec.id())));
            } catch (VmException.NotFound destroyedMeanwhile) {
                return;
            }
        }
        new VmRemoval(layout).remove(spec.id());
        release();
    }

    @Override
    public void release() {
        ownerLock.getAndSet(Optional.empty()).ifPresent(LockFile::close);
    }
}
