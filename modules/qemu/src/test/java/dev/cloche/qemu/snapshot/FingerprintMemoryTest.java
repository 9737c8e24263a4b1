package dev.cloche.qemu.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.qemu.KernelImage;
import dev.cloche.qemu.KernelProperties;
import dev.cloche.qemu.VmResources;
import dev.cloche.qemu.host.HostCapabilities;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.VmCapabilities;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FingerprintMemoryTest {
    private static final RootDisk NAMED = RootDisk.vmdk(Path.of("/disk")).withContents("sha256:1");

    private final FingerprintMemory memory = new FingerprintMemory();
    private int computed;

    @TempDir
    Path directory = Path.of("");

    @BeforeEach
    void files() throws IOException {
        Files.writeString(directory.resolve("qemu-10"), "ten");
        Files.createSymbolicLink(directory.resolve("qemu"), Path.of("qemu-10"));
        Files.writeString(directory.resolve("kernel"), "kernel");
        Files.writeString(directory.resolve("initramfs"), "initramfs");
    }

    @Test
    void whatHasNotChangedIsNotComputedAgain() throws IOException {
        assertThat(ask(vm(NAMED))).isEqualTo("1");
        assertThat(ask(vm(NAMED))).isEqualTo("1");
        // Only the path differs, from which nothing is read.
        assertThat(ask(vm(RootDisk.vmdk(Path.of("/other")).withContents("sha256:1"))))
                .isEqualTo("1");
    }

    @Test
    void anotherShapeOrDiskIsAnother() throws IOException {
        assertThat(ask(vm(NAMED))).isEqualTo("1");
        assertThat(ask(vm(NAMED).withMemoryMiB(300))).isEqualTo("2");
        assertThat(ask(vm(NAMED).withCpus(2))).isEqualTo("3");
        assertThat(ask(vm(NAMED.withContents("sha256:2")))).isEqualTo("4");
        assertThat(ask(vm(RootDisk.raw(Path.of("/disk")).withContents("sha256:1"))))
                .isEqualTo("5");
        assertThat(ask(vm(NAMED).withOutputLogBytes(1 << 20))).isEqualTo("6");
        assertThat(ask(vm(NAMED))).isEqualTo("1");
    }

    @Test
    void aFileThatWasReplacedIsReadAgain() throws IOException {
        for (String name : List.of("qemu-10", "kernel", "initramfs")) {
            String before = ask(vm(NAMED));
            Path next = Files.writeString(directory.resolve("next"), "next");
            Files.move(next, directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
            assertThat(ask(vm(NAMED))).as(name).isNotEqualTo(before);
        }
        String before = ask(vm(NAMED));
        Files.writeString(directory.resolve("qemu-11"), "eleven");
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("qemu-11"));
        Files.move(link, directory.resolve("qemu"), StandardCopyOption.REPLACE_EXISTING);
        assertThat(ask(vm(NAMED))).isNotEqualTo(before);
    }

    @Test
    void aDiskWithoutANameIsLookedAtEachTime() throws IOException {
        assertThat(ask(vm(RootDisk.raw(Path.of("/disk"))))).isEqualTo("1");
        assertThat(ask(vm(RootDisk.raw(Path.of("/disk"))))).isEqualTo("2");
    }

    private static VmSpec vm(RootDisk disk) {
        return VmSpec.of(VmId.random(), disk);
    }

    private String ask(VmSpec vm) throws IOException {
        KernelImage kernel = new KernelImage(
                directory.resolve("kernel"),
                directory.resolve("initramfs"),
                new KernelProperties("small", "6.1.9-cloche", false, List.of()));
        VmResources resources = new VmResources(directory.resolve("qemu"), Path.of("/guard"), Path.of("/tsc"), kernel);
        HostCapabilities host = new HostCapabilities(
                new VmCapabilities("qemu", "7.2", Accelerator.TCG, "model", true, "because"), OptionalLong.empty());
        return memory.of(vm, resources, host, () -> String.valueOf(++computed));
    }
}
