package dev.cloche.vm;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Boots one VM under its guard, or restores it. */
final class QemuMachine implements Machine {
    private final VmSpec spec;
    private final QemuGround ground;
    private final VmLayout layout;
    private final VmResources resources;
    private final GuardFiles files;
    private final PoolFiles pool;
    private final AtomicReference<Optional<LockFile>> ownerLock;

    /** @param ownerLock held already; this machine lets go of it */
    QemuMachine(VmSpec spec, QemuGround ground, LockFile ownerLock) {
        this.spec = spec;
        this.ground = ground;
        this.ownerLock = new AtomicReference<>(Optional.of(ownerLock));
        layout = ground.layout();
        resources = ground.resources();
        files = new GuardFiles(layout.directory(spec.id()));
        pool = new PoolFiles(layout.directory(spec.id()));
    }

    @Override
    public Run boot(Deadline deadline) {
        if (!Files.isReadable(spec.rootDisk().path())) {
            throw new VmResourcesException(
                    "The root disk " + spec.rootDisk().path() + " is missing or not readable",
                    "Pull its image again.",
                    null);
        }
        files.clear();
        if (!spec.attached()) {
            files.detach();
        }
        try {
            MachineFacts facts = MachineFacts.of(spec, resources, ground.host().get());
            facts.write(layout.directory(spec.id()));
            return spec.snapshot().isPresent() ? restore(facts, deadline) : coldBoot(deadline);
        } catch (IOException e) {
            throw new VmStorageException(
                    "VM " + spec.id() + " cannot be prepared: " + e.getMessage(),
                    "Check the owner and mode of the state root and the space on its disk.",
                    e);
        }
    }

    private Run coldBoot(Deadline deadline) throws IOException {
        QemuLaunch.Ram ram = spec.templateMaker()
                ? new QemuLaunch.Ram.Shared(RamFile.place(layout, spec))
                : new QemuLaunch.Ram.Anonymous();
        // Its interface has neither address nor name server until the host gives it one.
        identityOwed(spec.hasNetwork());
        return switch (spec.writable()) {
            case WritableLayer.InMemory _ -> start(QemuLaunch.boot(ram, Optional.empty()), deadline, () -> {});
            case WritableLayer.Disk(int sizeMiB) -> {
                Path top = ground.disk(spec.id()).begin(layout.blanks(), sizeMiB);
                yield start(QemuLaunch.boot(ram, Optional.of(QemuLaunch.Disk.ofTheVm(top))), deadline, () -> {});
            }
            case WritableLayer.Persistent(Path directory) -> {
                try (PersistentBoot disk = new PersistentBoot(directory, ground.disks())) {
                    yield start(QemuLaunch.boot(ram, Optional.of(disk.asItIs())), deadline, () -> {});
                }
            }
        };
    }

    private Run restore(MachineFacts facts, Deadline deadline) throws IOException {
        identityOwed(true);
        try (SnapshotUse use = SnapshotUse.open(ground, spec, facts)) {
            return switch (spec.writable()) {
                case WritableLayer.InMemory _ -> restore(use, Optional.empty(), () -> {}, deadline);
                case WritableLayer.Disk(int sizeMiB) -> {
                    Path top = ground.disk(spec.id()).begin(use.disk(ground.disks()), sizeMiB);
                    yield restore(use, Optional.of(QemuLaunch.Disk.ofTheVm(top)), () -> {}, deadline);
                }
                case WritableLayer.Persistent(Path directory) -> {
                    try (PersistentBoot disk = new PersistentBoot(directory, ground.disks())) {
                        QemuLaunch.Disk top = disk.asOf(spec.snapshot().orElseThrow(), use.disk(ground.disks()));
                        yield restore(use, Optional.of(top), disk::movesOn, deadline);
                    }
                }
            };
        }
    }

    /** @param loaded what is to be done before the guest goes on */
    private Run restore(SnapshotUse use, Optional<QemuLaunch.Disk> disk, Step loaded, Deadline deadline)
            throws IOException {
        return start(use.launch(ram(use), disk), deadline, () -> load(use, loaded, deadline));
    }

    private QemuLaunch.Ram ram(SnapshotUse use) throws IOException {
        if (!spec.templateMaker()) {
            return use.mapped() ? new QemuLaunch.Ram.Private(use.memory()) : new QemuLaunch.Ram.Anonymous();
        }
        Path ram = RamFile.place(layout, spec);
        if (use.mapped()) {
            RamFile.copy(use.memory(), ram);
        }
        return new QemuLaunch.Ram.Shared(ram);
    }

    private void load(SnapshotUse use, Step loaded, Deadline deadline) throws IOException {
        var _ = new QemuMonitor(layout, spec.id()).converse(deadline, qemu -> {
            new QemuMigration(qemu, layout.migrationSocket(spec.id()), deadline).load(use.stream(), !use.mapped());
            loaded.run();
            return qemu.execute(QmpCommand.of("cont"));
        });
    }

    /** The memory of a template's maker, wherever it found its place. */
    static Path sharedRam(VmLayout layout, VmId id) {
        Path inMemory = layout.sharedMemory(id);
        return Files.exists(inMemory) ? inMemory : layout.memoryOnDisk(id);
    }

    private interface Step {
        void run() throws IOException;
    }

    /** @param loading what is to be done before the guest runs */
    private Run start(QemuLaunch launch, Deadline deadline, Step loading) throws IOException {
        return spec.network() instanceof NetworkSpec.User user
                ? new UserNetworkStart(resources.requirePasst(), user, layout.directory(spec.id()))
                        .with(network -> startOnce(launch.withNetwork(network), deadline, loading))
                : startOnce(launch, deadline, loading);
    }

    private Run startOnce(QemuLaunch launch, Deadline deadline, Step loading) {
        Process guard = startGuard(
                QemuCommand.guarded(spec, layout, resources, ground.host().get(), launch));
        try {
            awaitStarted(guard, deadline);
            loading.run();
            return new QemuRun(
                    new Guard.Child(guard),
                    UnixChannels.connect(layout.portSocket(spec.id(), 0)),
                    Optional.empty(),
                    layout,
                    spec.id());
        } catch (IOException e) {
            end(guard);
            throw new VmStartException(
                    "VM " + spec.id() + " cannot be reached: " + e.getMessage(),
                    "Give it less memory if QEMU could not get it; otherwise try again.",
                    consoleTail(),
                    e);
        } catch (RuntimeException e) {
            end(guard);
            throw e;
        }
    }

    /** Waits, because the guard writes into a directory that the caller may want to remove next. */
    private static void end(Process guard) {
        guard.destroy();
        try {
            var _ = guard.waitFor(Boot.KILL_ALLOWANCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Capture capture(SnapshotName name, Deadline deadline) {
        return QemuCapture.of(spec, name, ground, deadline);
    }

    private Process startGuard(List<String> command) {
        List<String> whole = new ArrayList<>(command);
        // The guard takes its options in any order before the program.
        pool.slot()
                .ifPresent(slot -> whole.addAll(
                        1, List.of("--pool-age-ms", String.valueOf(slot.maxAge().toMillis()))));
        ProcessBuilder builder = new ProcessBuilder(whole)
                .directory(layout.directory(spec.id()).toFile())
                .redirectError(files.log().toFile());
        // Nothing of this process's environment is QEMU's business, secrets least of all.
        builder.environment().clear();
        builder.environment().put("TMPDIR", layout.directory(spec.id()).toString());
        try {
            return builder.start();
        } catch (IOException e) {
            throw new VmResourcesException(
                    "The guard " + resources.guard() + " cannot be started: " + e.getMessage(),
                    "Run ./setup, which builds it.",
                    e);
        }
    }

    /** A guard that runs its program says so in one line and closes its output. */
    private void awaitStarted(Process guard, Deadline deadline) {
        CompletableFuture<String> line = new CompletableFuture<>();
        Thread.startVirtualThread(() -> {
            try {
                line.complete(
                        Optional.ofNullable(guard.inputReader().readLine()).orElse(""));
            } catch (IOException | UncheckedIOException e) {
                line.completeExceptionally(new VmStartException("The guard says nothing", "Try again.", "", e));
            }
        });
        String said = Waiting.on(line, deadline, "the start of the guard");
        if (said.equals("busy")) {
            throw new VmBusyException("VM " + spec.id() + " runs already", "Connect to it, or choose another id.");
        }
        if (said.startsWith("failed the network")) {
            throw new VmNetworkException(spec.id(), tail(files.networkLog()));
        }
        if (!said.startsWith("started ")) {
            throw new VmStartException(
                    "The guard of VM " + spec.id() + " could not start QEMU: " + Printable.of(said),
                    "Run cloche doctor.",
                    tail(files.log()),
                    null);
        }
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
            throw new VmStorageException(
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
        return tail(files.console());
    }

    private static String tail(Path path) {
        try {
            return ConsoleTail.of(path);
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public void destroy() {
        if (ownerLock.get().isEmpty() && Files.exists(layout.directory(spec.id()))) {
            ownerLock.set(Optional.of(QemuProvider.own(layout, spec.id())));
        }
        new VmRemoval(layout).remove(spec.id());
        release();
    }

    @Override
    public void release() {
        ownerLock.getAndSet(Optional.empty()).ifPresent(LockFile::close);
    }
}
