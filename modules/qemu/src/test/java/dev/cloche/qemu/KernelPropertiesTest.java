package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.qemu.host.HostCapabilities;
import dev.cloche.qemu.launch.QemuCommand;
import dev.cloche.qemu.launch.QemuJail;
import dev.cloche.qemu.launch.QemuLaunch;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.VmCapabilities;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmLimits;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KernelPropertiesTest {
    @TempDir
    Path directory;

    @Test
    void aKernelWithoutACPIIsStartedWithoutItAndWithItsOwnParameters() throws Exception {
        KernelProperties properties =
                recorded("kind=small\nrelease=6.1.9-cloche\nacpi=off\nparameters=acpi=off a.b=1\nx=y\n");

        assertThat(properties)
                .isEqualTo(new KernelProperties("small", "6.1.9-cloche", false, List.of("acpi=off", "a.b=1")));
        assertThat(command(properties))
                .contains("microvm,acpi=off,memory-backend=ram,mem-merge=off")
                .anyMatch(argument -> argument.startsWith("console=ttyS0 ")
                        && argument.endsWith(" acpi=off a.b=1 tsc=reliable tsc_early_khz=2600000"));
    }

    @Test
    void anOrdinaryKernelNeedsNoMoreThanItsRelease() throws Exception {
        KernelProperties properties = recorded("package=linux-image-6\nversion=6.1.9-1\nrelease=6.1.0-9-cloud-amd64\n");

        assertThat(properties).isEqualTo(new KernelProperties("unknown", "6.1.0-9-cloud-amd64", true, List.of()));
        assertThat(command(properties)).contains("microvm,acpi=on,memory-backend=ram,mem-merge=off");
    }

    @Test
    void aKernelWithoutARecordIsAnOrdinaryOne() {
        assertThat(KernelProperties.of(directory.resolve("vmlinux"), ResourceOrigin.unknown()))
                .isEqualTo(KernelProperties.UNRECORDED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "acpi=maybe",
                "kind=Small one",
                "release=",
                "release=6.1\u001b[2J",
                "parameters=a  b",
                "parameters=init=\"/bin/sh\"",
                "parameters=a b c d e f g h i j k l m n o p q",
            })
    void aRecordThatSaysWhatItMayNotSayIsRefused(String line) {
        assertThatThrownBy(() -> recorded(line + "\n"))
                .isInstanceOfSatisfying(
                        VmException.MissingResource.class,
                        e -> assertThat(e.remedy()).contains("CLOCHE_SHARE"));
    }

    @Test
    void anEndlessRecordIsRefused() {
        assertThatThrownBy(() -> recorded("a".repeat(5000))).isInstanceOf(VmException.MissingResource.class);
    }

    private KernelProperties recorded(String text) throws IOException {
        Files.writeString(directory.resolve("kernel.properties"), text);
        return KernelProperties.of(directory.resolve("vmlinux"), ResourceOrigin.unknown());
    }

    private static List<String> command(KernelProperties properties) {
        KernelImage kernel = new KernelImage(Path.of("/k"), Path.of("/i"), properties);
        VmResources resources = new VmResources(Path.of("/q"), Path.of("/g"), Path.of("/t"), kernel);
        HostCapabilities host = new HostCapabilities(
                new VmCapabilities("qemu", "7.2", Accelerator.TCG, "max", true, "because"), OptionalLong.of(2_600_000));
        VmSpec spec = VmSpec.of(new VmId("a"), RootDisk.vmdk(Path.of("/a")));
        return QemuCommand.guarded(
                spec,
                new VmLayout(Path.of("/s"), Path.of("/r")),
                resources,
                host,
                new QemuJail(Isolation.AUTO, false, new VmLimits.Group.None(), List.of()),
                QemuLaunch.boot(new QemuLaunch.Ram.Anonymous(), Optional.empty()));
    }
}
