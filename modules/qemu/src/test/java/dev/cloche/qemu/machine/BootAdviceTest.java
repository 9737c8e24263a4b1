package dev.cloche.qemu.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.Deadline;
import dev.cloche.qemu.KernelImage;
import dev.cloche.qemu.KernelProperties;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.VmResources;
import dev.cloche.qemu.guard.GuardBinary;
import dev.cloche.qemu.guard.VmDirectory;
import dev.cloche.qemu.host.HostCapabilities;
import dev.cloche.qemu.host.IsolationChoice;
import dev.cloche.qemu.snapshot.QemuContext;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.BootPolicy;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmCapabilities;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmLimits;
import dev.cloche.vm.VmSpec;
import dev.cloche.vmm.ManagedVm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a user is told to do about a VM that does not come up, with a silent program in the place of QEMU. */
class BootAdviceTest {
    private static Path guard = Path.of("");
    private static Path silent = Path.of("");

    @TempDir
    Path directory = Path.of("");

    @BeforeAll
    static void compile() throws IOException, InterruptedException {
        guard = GuardBinary.compileHasty();
        silent = GuardBinary.compileSilent();
    }

    @Test
    void whereTheUserInsistsOnAKvmThatRanNoGuestThatIsToBeUndone() throws IOException {
        assertThat(remedy(false)).startsWith("Unset CLOCHE_ACCELERATOR").contains("Cloche.examine(options)");
    }

    @Test
    void whereGuestsRunTheHostMayHaveBeenBusy() throws IOException {
        assertThat(remedy(true)).startsWith("Try again if the host was busy.");
    }

    private String remedy(boolean proven) throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        KernelProperties properties = new KernelProperties("small", "6.1.9-cloche", false, List.of());
        VmResources resources = new VmResources(silent, guard, file, new KernelImage(file, file, properties));
        HostCapabilities host = new HostCapabilities(
                new VmCapabilities("qemu", "7.2", Accelerator.KVM, "host", proven, "because"), OptionalLong.empty());
        VmLayout layout = VmLayout.of(directory.resolve("state"));
        VmSpec spec = VmSpec.of(VmId.random(), RootDisk.raw(file));
        Files.createDirectory(layout.directory(spec.id()));
        QemuBackend backend = new QemuBackend(
                spec,
                QemuContext.of(
                        layout,
                        resources,
                        new IsolationChoice(Map.of(), Optional::empty, () -> false),
                        VmLimits.Group.None::new,
                        () -> host),
                VmDirectory.own(layout, spec.id()));
        BootPolicy once = new BootPolicy(1, Duration.ofMillis(1));
        try (Vm vm = ManagedVm.created(spec, backend, once, _ -> {})) {
            VmException.StartFailed thrown = Assertions.catchThrowableOfType(
                    VmException.StartFailed.class, () -> vm.start(Deadline.after(Duration.ofMinutes(5))));
            vm.destroy();
            return Optional.ofNullable(thrown).orElseThrow().remedy();
        } finally {
            Files.deleteIfExists(layout.runtimeDirectory());
        }
    }
}
