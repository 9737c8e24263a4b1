package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.qemu.host.HostProbe;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.VmCapabilities;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That {@code ./build verify -Pkvm} is of KVM at all. It comes before the tests with VMs, which take long without it. */
@Tag("kvm")
class KvmHostTest {
    @TempDir
    Path directory;

    @Test
    void guestsRunOnKvmHere() throws Exception {
        VmLayout layout = VmLayout.of(directory);
        VmCapabilities found =
                new HostProbe(QemuInstallation.required(), layout).facts().capabilities();
        assertThat(found.accelerator())
                .as("%s 'cloche doctor' says more; -Pkvm is for hosts with KVM only.", found.acceleratorReason())
                .isEqualTo(Accelerator.KVM);
    }
}
