package dev.cloche.qemu.machine;

import dev.cloche.base.Deadline;
import dev.cloche.base.Printable;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.VmResources;
import dev.cloche.qemu.disk.QemuImage;
import dev.cloche.qemu.guard.ConsoleTail;
import dev.cloche.qemu.guard.Guard;
import dev.cloche.qemu.guard.GuardFiles;
import dev.cloche.qemu.guard.PoolFiles;
import dev.cloche.qemu.guard.PrivateFiles;
import dev.cloche.qemu.host.GuardRefusal;
import dev.cloche.qemu.launch.QemuCommand;
import dev.cloche.qemu.launch.QemuJail;
import dev.cloche.qemu.launch.QemuLaunch;
import dev.cloche.qemu.launch.UserNetworkStart;
import dev.cloche.qemu.qmp.UnixChannels;
import dev.cloche.qemu.snapshot.QemuContext;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmSpec;
import dev.cloche.vmm.RunningVm;
import dev.cloche.vmm.VmBoot;
import dev.cloche.vmm.VmWaits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Starts the guard of one VM, which starts QEMU and what its network needs, and waits until QEMU runs. */
final class GuardStart {
    /** Says what is to be done between the start of QEMU and that of the guest. */
    interface Step {
        void run() throws IOException;
    }

    private final VmSpec spec;
    private final QemuContext context;
    private final VmLayout layout;
    private final VmResources resources;
    private final Path directory;
    private final GuardFiles files;

    GuardStart(VmSpec spec, QemuContext context) {
        this.spec = spec;
        this.context = context;
        layout = context.layout();
        resources = context.resources();
        directory = layout.directory(spec.id());
        files = new GuardFiles(directory);
    }

    /** @param loading what is to be done before the guest runs */
    RunningVm start(QemuLaunch launch, Deadline deadline, Step loading) throws IOException {
        return spec.network() instanceof NetworkSpec.User user
                ? new UserNetworkStart(resources.requirePasst(), user, directory)
                        .with(network -> once(launch.withNetwork(network), deadline, loading))
                : once(launch, deadline, loading);
    }

    private RunningVm once(QemuLaunch launch, Deadline deadline, Step loading) {
        Process guard = spawn(
                QemuCommand.guarded(spec, layout, resources, context.host().get(), jail(), launch));
        try {
            awaitStarted(guard, deadline);
            loading.run();
            return new RunningQemu(
                    new Guard.Child(guard),
                    UnixChannels.connect(layout.portSocket(spec.id(), 0), deadline),
                    Optional.empty(),
                    layout,
                    spec.id());
        } catch (IOException e) {
            end(guard);
            if (files.exitOrLost().cause() == VmExit.Cause.MAX_DURATION) {
                throw new VmException.LimitReached(spec.id(), e);
            }
            throw new VmException.StartFailed(
                    "VM " + spec.id() + " cannot be reached: " + e.getMessage(),
                    "Give it less memory if QEMU could not get it; otherwise try again.",
                    ConsoleTail.of(files.console()),
                    e);
        } catch (RuntimeException e) {
            end(guard);
            throw e;
        }
    }

    private QemuJail jail() {
        try {
            return new QemuJail(
                    context.isolation().of(spec.isolation()),
                    context.isolation().alarmEnds().getAsBoolean(),
                    context.group().get(),
                    new QemuImage(spec.rootDisk()).files());
        } catch (IOException e) {
            throw new VmException.MissingResource(
                    "The root disk " + spec.rootDisk().path() + " cannot be read: " + e.getMessage(),
                    "Pull its image again.",
                    e);
        }
    }

    private Process spawn(List<String> command) {
        List<String> whole = new ArrayList<>(command);
        // The guard takes its options in any order before the program.
        new PoolFiles(directory)
                .slot()
                .ifPresent(slot -> whole.addAll(
                        1, List.of("--pool-age-ms", String.valueOf(slot.maxAge().toMillis()))));
        ProcessBuilder builder = new ProcessBuilder(whole)
                .directory(directory.toFile())
                .redirectError(files.log().toFile());
        // Nothing of this process's environment is QEMU's business, secrets least of all.
        builder.environment().clear();
        builder.environment().put("TMPDIR", directory.toString());
        try {
            PrivateFiles.write(files.log(), new byte[0]);
            return builder.start();
        } catch (IOException e) {
            throw new VmException.MissingResource(
                    "The guard " + resources.guard() + " cannot be started: " + e.getMessage(),
                    resources.origin().remedy(),
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
                line.completeExceptionally(new VmException.StartFailed("The guard says nothing", "Try again.", "", e));
            }
        });
        String said = VmWaits.on(line, deadline, "the start of the guard");
        if (said.equals("busy")) {
            throw new VmException.Busy("VM " + spec.id() + " runs already", "Connect to it, or choose another id.");
        }
        if (said.startsWith("failed the network")) {
            throw new VmException.NetworkFailed(spec.id(), ConsoleTail.of(files.networkLog()));
        }
        GuardRefusal.check(said, resources);
        if (!said.startsWith("started ")) {
            throw new VmException.StartFailed(
                    "The guard of VM " + spec.id() + " could not start QEMU: " + Printable.of(said),
                    "Look at the host with: Cloche.examine(options)",
                    ConsoleTail.of(files.log()),
                    null);
        }
    }

    /** Waits, because the guard writes into a directory that the caller may want to remove next. */
    private static void end(Process guard) {
        guard.destroy();
        try {
            var _ = guard.waitFor(VmBoot.KILL_ALLOWANCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
