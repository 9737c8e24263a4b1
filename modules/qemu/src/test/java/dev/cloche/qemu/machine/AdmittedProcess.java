package dev.cloche.qemu.machine;

import dev.cloche.base.ChildJvm;
import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.guard.VmClaims;
import dev.cloche.qemu.guard.VmRemoval;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.VmAdmission;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmLimits;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * A process that starts VMs under limits, for tests: real directories, locks and guards, with {@code sleep} in the place of
 * QEMU. Its arguments are the state root, the guard, how many VMs have room, what it does, and what that needs.
 */
final class AdmittedProcess {
    private static final int MEMORY_MIB = 256;

    private AdmittedProcess() {}

    static VmSpec spec(VmId id, Duration patience) {
        return VmSpec.of(id, RootDisk.raw(Path.of("/none")))
                .withMemoryMiB(MEMORY_MIB)
                .withAdmission(new VmAdmission(Set.of(), patience));
    }

    static VmLimits room(int vms) {
        var claim = VmClaims.of(spec(VmId.random(), Duration.ZERO), Accelerator.TCG, false);
        return new VmLimits(
                new VmLimits.Amount.Size(vms * (claim.memoryMiB() + claim.overheadMiB())),
                new VmLimits.Amount.None(),
                OptionalInt.empty(),
                new VmLimits.Amount.None(),
                new VmLimits.Amount.None(),
                VmLimits.Bound.NONE,
                Map.of(),
                VmLimits.Clones.FULL,
                VmLimits.UnderPressure.RETIRE_POOLS);
    }

    static VmAdmissions admissions(VmLayout layout, Supplier<VmLimits> limits) {
        return new VmAdmissions(
                layout, () -> Accelerator.TCG, new QemuPool(layout), new RunningVmOperations(layout)::kill, limits);
    }

    public static void main(String[] arguments) throws Exception {
        VmLayout layout = VmLayout.of(Path.of(arguments[0]));
        Path guard = Path.of(arguments[1]);
        int room = Integer.parseInt(arguments[2]);
        VmAdmissions admissions = admissions(layout, () -> room(room));
        switch (arguments[3]) {
            case "start" -> {
                for (int i = 0; i < Integer.parseInt(arguments[4]); i++) {
                    start(layout, admissions, guard, room, Path.of(arguments[5]), Duration.parse(arguments[6]));
                }
            }
            case "claim" -> {
                LockFile _ = admissions.make(spec(VmId.random(), Duration.parse(arguments[4])));
                ready();
            }
            case "wait" -> {
                var _ = admissions.make(spec(new VmId(arguments[4]), Duration.ofMinutes(5)));
                Files.writeString(
                        Path.of(arguments[5]),
                        arguments[4] + "\n",
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND);
                new VmRemoval(layout).remove(new VmId(arguments[4]));
            }
            default -> throw new IllegalArgumentException(arguments[3]);
        }
    }

    private static void start(
            VmLayout layout, VmAdmissions admissions, Path guard, int room, Path log, Duration patience)
            throws IOException, InterruptedException {
        VmId id = VmId.random();
        try (LockFile _ = admissions.make(spec(id, patience))) {
            int living = living(layout);
            if (living > room) {
                say(log, "above the limit: " + living);
            }
            Process process = new ProcessBuilder(
                            guard.toString(), "--dir", layout.directory(id).toString(), "--", "/bin/sleep", "0.02")
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            if (!String.valueOf(process.inputReader().readLine()).startsWith("started ")) {
                say(log, "no guard");
            }
            int status = process.waitFor();
            if (status != 0) {
                say(log, "the guard ended with " + status);
            }
            new VmRemoval(layout).remove(id);
            say(log, "started");
        } catch (VmException.NoRoom refused) {
            say(log, "refused: " + refused.getMessage());
        }
    }

    /** Counts those that live, while none can begin; so there were as many at once. */
    static int living(VmLayout layout) throws IOException, InterruptedException {
        int living = 0;
        try (LockFile _ = LockFile.lock(layout.stateRoot().resolve("admission.lock"), soon())
                        .orElseThrow();
                DirectoryStream<Path> directories = Files.newDirectoryStream(layout.vms())) {
            for (Path directory : directories) {
                boolean guarded = Files.exists(directory.resolve("guard.json"));
                boolean claimed = Files.exists(directory.resolve("claim.json"));
                if (guarded
                        ? LockFile.isHeld(directory.resolve("lock"))
                        : claimed && LockFile.isHeld(directory.resolve("owner.lock"))) {
                    living++;
                }
            }
        }
        return living;
    }

    private static void say(Path log, String line) throws IOException {
        Files.writeString(log, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private static void ready() {
        System.out.println("ready");
        while (true) {
            LockSupport.park();
        }
    }

    static Process begin(Path errors, String... arguments) throws IOException {
        return new ProcessBuilder(ChildJvm.command(AdmittedProcess.class, arguments))
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                .start();
    }

    static Deadline soon() {
        return Deadline.after(Duration.ofMinutes(5));
    }
}
