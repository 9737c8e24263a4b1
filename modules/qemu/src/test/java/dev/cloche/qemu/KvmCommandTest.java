package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.qemu.host.CpuModel;
import dev.cloche.qemu.host.HostCapabilities;
import dev.cloche.qemu.host.HostCpu;
import dev.cloche.qemu.launch.QemuCommand;
import dev.cloche.qemu.launch.QemuJail;
import dev.cloche.qemu.launch.QemuLaunch;
import dev.cloche.qemu.snapshot.PlatformRecord;
import dev.cloche.qemu.snapshot.SnapshotKey;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.VmCapabilities;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmLimits;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** QEMU's command line and a snapshot's key with KVM, beside those of software emulation. */
class KvmCommandTest {
    private static final KernelProperties SMALL =
            new KernelProperties("small", "6.1.9-cloche", false, List.of("lapic_timer_khz=1000000", "noreplace-smp"));
    private static final KernelProperties DEBIAN =
            new KernelProperties("debian", "6.1.0-9-cloud-amd64", true, List.of());
    private static final String COMMON = "console=ttyS0 quiet panic=-1 reboot=t rdinit=/init cryptomgr.notests";

    @TempDir
    Path directory;

    @Test
    void onIntel() throws IOException {
        assertThat(command("intel", DEBIAN))
                .containsSequence("-M", "microvm,acpi=on,rtc=on,memory-backend=ram,mem-merge=off")
                .containsSequence("-accel", "kvm", "-cpu", "host,vmx=off,svm=off,pmu=off")
                .containsSequence("-append", COMMON);
    }

    @Test
    void onAmd() throws IOException {
        assertThat(command("amd", DEBIAN))
                .containsSequence("-accel", "kvm", "-cpu", "host,vmx=off,svm=off,pmu=off,arch-capabilities=off");
    }

    @Test
    void theSmallKernelKeepsTheLocksOfItsAtomicsOnlyUnderEmulation() throws IOException {
        assertThat(command("intel", SMALL))
                .containsSequence("-M", "microvm,acpi=off,rtc=on,memory-backend=ram,mem-merge=off")
                .containsSequence("-append", COMMON + " lapic_timer_khz=1000000");
        assertThat(command(emulated(), SMALL))
                .containsSequence("-M", "microvm,acpi=off,memory-backend=ram,mem-merge=off")
                .containsSequence("-accel", "tcg,tb-size=256", "-cpu", "max,-erms,-fsrm")
                .containsSequence(
                        "-append",
                        COMMON + " lapic_timer_khz=1000000 noreplace-smp tsc=reliable tsc_early_khz=2600000");
    }

    /** 256 MiB and the tables of it, 96 MiB, and under emulation what is translated. */
    @Test
    void aGroupHasRoomForWhatQemuNeedsAndForNoMore() throws IOException {
        assertThat(command("intel", SMALL))
                .containsSequence("--group", "auto")
                .containsSequence("--group-memory", String.valueOf((256L + 2 + 96) << 20))
                .containsSequence("--group-tasks", "113", "--group-weight", "100");
        assertThat(command(emulated(), SMALL))
                .containsSequence("--group-memory", String.valueOf((256L + 2 + 96 + 256) << 20));
    }

    @Test
    void aKeyOfEmulationHasTheFieldsThatItAlwaysHad() throws IOException {
        assertThat(facts(emulated()))
                .containsOnlyKeys(
                        "accelerator",
                        "counterKiloHertz",
                        "cpuModel",
                        "cpus",
                        "hostCpu",
                        "initramfs",
                        "kernel",
                        "kernelParameters",
                        "machine",
                        "memoryMiB",
                        "qemu",
                        "qemuBinary",
                        "rootDisk",
                        "writable")
                .containsEntry("cpuModel", "-accel tcg -cpu max,-erms,-fsrm")
                .containsEntry("machine", "microvm,acpi=off")
                .containsEntry("kernelParameters", COMMON + " lapic_timer_khz=1000000 noreplace-smp");
    }

    @Test
    void aKeyOfKvmHasWhatTheHostsKvmOffers() throws IOException {
        NavigableMap<String, String> facts = facts(accelerated("intel"));
        assertThat(facts)
                .containsEntry("cpuModel", "-accel kvm -cpu host,vmx=off,svm=off,pmu=off")
                .containsEntry("machine", "microvm,acpi=off,rtc=on")
                .containsEntry("kernelParameters", COMMON + " lapic_timer_khz=1000000")
                .doesNotContainKey("counterKiloHertz");
        assertThat(facts.get("hostKvm")).isNotBlank();
        NavigableMap<String, String> upgraded = new TreeMap<>(facts);
        upgraded.put("hostKvm", "another");
        assertThat(SnapshotKey.of(facts).differences(SnapshotKey.of(upgraded)))
                .extracting(SnapshotException.Mismatch.Difference::field)
                .containsExactly("hostKvm");
    }

    @Test
    void whatKvmOffersIsTheSameTextEachTimeAndAnotherAfterAnUpgrade() {
        String offer = PlatformRecord.offer(List.of("cpuid 1.0 1 0 2 3", "msr 10a"));
        assertThat(offer)
                .isEqualTo(PlatformRecord.offer(List.of("cpuid 1.0 1 0 2 3", "msr 10a")))
                .isNotEqualTo(PlatformRecord.offer(List.of("cpuid 1.0 1 0 2 3")))
                .isNotEqualTo(PlatformRecord.offer(List.of("cpuid 1.0 1 0 2 7", "msr 10a")))
                .hasSize(16);
    }

    private static HostCapabilities accelerated(String cpu) throws IOException {
        String model = CpuModel.candidates(HostCpu.read(Path.of("src/test/resources/dev/cloche/qemu/cpuinfo", cpu)))
                .getFirst();
        return new HostCapabilities(
                new VmCapabilities("qemu", "7.2", Accelerator.KVM, model, true, "because"), OptionalLong.empty());
    }

    private static HostCapabilities emulated() {
        return new HostCapabilities(
                new VmCapabilities("qemu", "7.2", Accelerator.TCG, CpuModel.EMULATED, true, "because"),
                OptionalLong.of(2_600_000));
    }

    private static List<String> command(String cpu, KernelProperties kernel) throws IOException {
        return command(accelerated(cpu), kernel);
    }

    private static List<String> command(HostCapabilities host, KernelProperties kernel) {
        KernelImage image = new KernelImage(Path.of("/k"), Path.of("/i"), kernel);
        VmResources resources = new VmResources(Path.of("/q"), Path.of("/g"), Path.of("/t"), image);
        return QemuCommand.guarded(
                VmSpec.of(new VmId("a"), RootDisk.raw(Path.of("/a"))),
                new VmLayout(Path.of("/s"), Path.of("/r")),
                resources,
                host,
                new QemuJail(Isolation.AUTO, false, new VmLimits.Group.Delegated(), List.of()),
                QemuLaunch.boot(new QemuLaunch.Ram.Anonymous(), Optional.empty()));
    }

    private NavigableMap<String, String> facts(HostCapabilities host) throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "x");
        VmResources resources = new VmResources(file, file, file, new KernelImage(file, file, SMALL));
        return PlatformRecord.of(VmSpec.of(new VmId("a"), RootDisk.raw(file)), resources, host)
                .fields();
    }
}
