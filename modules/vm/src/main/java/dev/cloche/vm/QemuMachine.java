package dev.cloche.vm;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Boots one VM under its guard. */
final class QemuMachine implements Machine {
    private final VmSpec spec;
    private final VmLayout layout;
    private final VmResources resources;
    private final Supplier<HostFacts> host;
    private final GuardFiles files;
    private final AtomicReference<Optional<LockFile>> ownerLock;

    /** @param ownerLock held already; this machine lets go of it */
    QemuMachine(VmSpec spec, VmLayout layout, VmResources resources, Supplier<HostFacts> host, LockFile ownerLock) {
        this.spec = spec;
        this.layout = layout;
        this.resources = resources;
        this.host = host;
        this.ownerLock = new AtomicReference<>(Optional.of(ownerLock));
        files = new GuardFiles(layout.directory(spec.id()));
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
        Process guard = startGuard(QemuCommand.guarded(spec, layout, resources, host.get()));
        try {
            awaitStarted(guard, deadline);
            return new QemuRun(
                    new Guard.Child(guard),
                    UnixChannels.connect(layout.portSocket(spec.id(), 0)),
                    Optional.empty(),
                    layout,
                    spec.id());
        } catch (IOException e) {
            guard.destroy();
            throw new VmStartException(
                    "VM " + spec.id() + " cannot be reached: " + e.getMessage(),
                    "Give it less memory if QEMU could not get it; otherwise try again.",
                    consoleTail(),
                    e);
        } catch (RuntimeException e) {
            guard.destroy();
            throw e;
        }
    }

    private Process startGuard(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command)
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
        if (!said.startsWith("started ")) {
            throw new VmStartException(
                    "The guard of VM " + spec.id() + " could not start QEMU: " + Printable.of(said),
                    "Run cloche doctor.",
                    tail(files.log()),
                    null);
        }
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
        VmDirectory.remove(layout, spec.id());
        release();
    }

    @Override
    public void release() {
        ownerLock.getAndSet(Optional.empty()).ifPresent(LockFile::close);
    }
}
