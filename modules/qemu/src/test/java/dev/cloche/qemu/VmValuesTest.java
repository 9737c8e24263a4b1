package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Printable;
import dev.cloche.qemu.disk.DiskTools;
import dev.cloche.qemu.host.FileDigests;
import dev.cloche.qemu.host.HostCapabilities;
import dev.cloche.qemu.launch.QemuCommand;
import dev.cloche.qemu.launch.QemuJail;
import dev.cloche.qemu.launch.QemuLaunch;
import dev.cloche.qemu.snapshot.LiveMemory;
import dev.cloche.qemu.snapshot.SnapshotKey;
import dev.cloche.vm.Accelerator;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.VmCapabilities;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmLimits;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import dev.cloche.vmm.VmTransition;
import dev.cloche.vmm.VmTransitions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Small parts, each by itself. */
class VmValuesTest {
    @TempDir
    Path directory;

    @Test
    void aVmThatDidNotComeUpSaysWhatItsConsoleSaid() {
        String console = "cloche: cannot mount /proc: Not a directory\n\n[    0.9] reboot: Restarting system";

        assertThat(new VmException.StartFailed("It did not come up", "", console, null))
                .hasMessageStartingWith(
                        "It did not come up. Its console says: cloche: cannot mount /proc: Not a directory");
        assertThat(new VmException.StartFailed("It did not come up", "", "one\nno memory\n", null))
                .hasMessageStartingWith("It did not come up. Its console says: no memory");
        assertThat(new VmException.StartFailed(
                        "It did not come up", "", "KVM internal error. Suberror: 1\nRAX=0 RBX=0\nCode=<f0> 48\n", null))
                .hasMessageStartingWith("It did not come up. Its console says: KVM internal error. Suberror: 1");
        assertThat(new VmException.StartFailed("It did not come up", "", "", null))
                .hasMessageStartingWith("It did not come up");
    }

    @Test
    void theTableHasExactlyTheseTransitions() {
        Map<VmState, EnumSet<VmTransition>> allowed = Map.of(
                VmState.CREATED, EnumSet.of(VmTransition.STARTED, VmTransition.START_FAILED, VmTransition.DESTROYED),
                VmState.RUNNING, EnumSet.of(VmTransition.PAUSED, VmTransition.ENDED, VmTransition.CRASHED),
                VmState.PAUSED, EnumSet.of(VmTransition.RESUMED, VmTransition.ENDED, VmTransition.CRASHED),
                VmState.STOPPED, EnumSet.of(VmTransition.DESTROYED),
                VmState.FAILED, EnumSet.of(VmTransition.DESTROYED),
                VmState.DESTROYED, EnumSet.noneOf(VmTransition.class));
        for (VmState state : VmState.values()) {
            for (VmTransition transition : VmTransition.values()) {
                assertThat(VmTransitions.next(state, transition).isPresent())
                        .as("%s, %s", state, transition)
                        .isEqualTo(allowed.getOrDefault(state, EnumSet.noneOf(VmTransition.class))
                                .contains(transition));
            }
        }
    }

    @Test
    void aCommaInAPathDoesNotEndTheOption() {
        VmResources resources = new VmResources(
                Path.of("/q"),
                Path.of("/g"),
                Path.of("/t"),
                new KernelImage(Path.of("/k"), Path.of("/i"), KernelProperties.UNRECORDED));
        HostCapabilities host = new HostCapabilities(
                new VmCapabilities("qemu", "7.2", Accelerator.TCG, "max", true, "because"), OptionalLong.of(2_600_000));
        VmSpec spec = VmSpec.of(new VmId("a"), RootDisk.vmdk(Path.of("/a,readonly=off")));
        List<String> command = QemuCommand.guarded(
                spec,
                new VmLayout(Path.of("/s"), Path.of("/r")),
                resources,
                host,
                new QemuJail(Isolation.AUTO, false, new VmLimits.Group.None(), List.of()),
                QemuLaunch.boot(new QemuLaunch.Ram.Anonymous(), Optional.empty()));
        assertThat(command)
                .contains(
                        "driver=vmdk,node-name=image,read-only=on,file.driver=file,file.filename=/a,,readonly=off",
                        "-nodefaults",
                        "-sandbox")
                .doesNotContain("-netdev", "-nic", "--group")
                .anyMatch(argument -> argument.endsWith("tsc_early_khz=2600000"));
    }

    @Test
    void aKeyNamesWhatIsDifferentAndBearsWithTheCountersMeasure() {
        SnapshotKey then = SnapshotKey.of(Map.of("qemu", "7.2.22", "counterKiloHertz", "2600000", "kernel", "a"));
        SnapshotKey now = SnapshotKey.of(Map.of("qemu", "7.2.23", "counterKiloHertz", "2600001", "kernel", "a"));
        assertThat(then.differences(then)).isEmpty();
        assertThat(then.differences(now))
                .containsExactly(new SnapshotException.Mismatch.Difference("qemu", "7.2.22", "7.2.23"));
        assertThat(then.differences(SnapshotKey.of(Map.of("qemu", "7.2.22", "counterKiloHertz", "2700000"))))
                .extracting(SnapshotException.Mismatch.Difference::field)
                .containsExactly("counterKiloHertz", "kernel");
    }

    @Test
    void aSnapshotOfAnotherQemuNamesTheSettingThatChoosesIt() {
        SnapshotException.Mismatch.Difference kernel = new SnapshotException.Mismatch.Difference("kernel", "a", "b");
        SnapshotException.Mismatch.Difference binary =
                new SnapshotException.Mismatch.Difference("qemuBinary", "a", "b");
        SnapshotName name = new SnapshotName("mine");
        assertThat(new SnapshotException.Mismatch(name, List.of(kernel)))
                .message()
                .doesNotContain("CLOCHE_EMULATOR");
        assertThat(new SnapshotException.Mismatch(name, List.of(binary, kernel)))
                .message()
                .contains("CLOCHE_EMULATOR=system", "CLOCHE_EMULATOR=auto");
    }

    @Test
    void theCopyOfAMemoryHasItsBytesAndHolesForTheRest() throws IOException {
        byte[] memory = new byte[5 * 1024 * 1024];
        memory[0] = 1;
        memory[4095] = 2;
        memory[1024 * 1024 - 1] = 3;
        memory[3 * 1024 * 1024] = 4;
        Path copy = directory.resolve("copy");
        LiveMemory.copy(Files.write(directory.resolve("memory"), memory), copy);
        assertThat(copy).hasBinaryContent(memory);
        Process stat = new ProcessBuilder("stat", "-c", "%b", copy.toString()).start();
        assertThat(Long.parseLong(stat.inputReader().readLine())).isLessThan(1024);
    }

    @Test
    void aDigestIsWorkedOutAnewWhenItsFileHasChanged() throws IOException {
        Path file = Files.writeString(directory.resolve("kernel"), "one");
        Path memory = directory.resolve("digests.json");
        String first = new FileDigests(memory).of(file);
        assertThat(first).isEqualTo(FileDigests.sha256(file));
        assertThat(memory).content().contains(first);
        Files.writeString(file, "two");
        assertThat(new FileDigests(memory).of(file))
                .isEqualTo(FileDigests.sha256(file))
                .isNotEqualTo(first);
        Files.writeString(memory, "no json");
        assertThat(new FileDigests(memory).of(file)).isEqualTo(FileDigests.sha256(file));
    }

    @Test
    void missingResourcesSayWhatToDo() {
        assertThatThrownBy(
                        () -> VmResources.find(List.of(directory), Map.of("PATH", "/none"), ResourceOrigin.unknown()))
                .isInstanceOfSatisfying(
                        VmException.MissingResource.class,
                        e -> assertThat(e.remedy()).contains("Install QEMU"));
        assertThatThrownBy(() ->
                        VmResources.find(List.of(directory), Map.of("PATH", "/usr/bin:/bin"), ResourceOrigin.unknown()))
                .isInstanceOf(VmException.MissingResource.class);
    }

    @Test
    void theRuntimesQemuGoesBeforeTheSystemsUnlessTheUserWantsThat() throws IOException {
        for (String file : List.of("share/emulator/bin/qemu-system-x86_64", "bin/qemu-system-x86_64")) {
            Path program = directory.resolve(file);
            Files.createDirectories(program.getParent());
            assertThat(Files.createFile(program).toFile().setExecutable(true)).isTrue();
        }
        List<Path> share = List.of(directory.resolve("share"));
        for (String file : List.of("cloche-guard", "cloche-tsc", "kernel/vmlinux", "initramfs")) {
            Files.createDirectories(share.getFirst().resolve(file).getParent());
            Files.createFile(share.getFirst().resolve(file));
        }
        String path = directory.resolve("bin").toString();
        assertThat(qemu(share, Map.of("PATH", path)))
                .isEqualTo(share.getFirst().resolve("emulator/bin/qemu-system-x86_64"));
        assertThat(qemu(share, Map.of("PATH", path, "CLOCHE_EMULATOR", "auto")))
                .isEqualTo(share.getFirst().resolve("emulator/bin/qemu-system-x86_64"));
        assertThat(qemu(share, Map.of("PATH", path, "CLOCHE_EMULATOR", "system")))
                .isEqualTo(directory.resolve("bin/qemu-system-x86_64"));
        Files.delete(share.getFirst().resolve("emulator/bin/qemu-system-x86_64"));
        assertThat(qemu(share, Map.of("PATH", path))).isEqualTo(directory.resolve("bin/qemu-system-x86_64"));
        assertThatThrownBy(() -> qemu(share, Map.of("PATH", path, "CLOCHE_EMULATOR", "bochs\u001b")))
                .isInstanceOfSatisfying(
                        VmException.MissingResource.class,
                        e -> assertThat(e.getMessage())
                                .contains("CLOCHE_EMULATOR")
                                .doesNotContain("\u001b"));
    }

    @Test
    void theRuntimesPasstAndFormatterFillTheHostsGaps() throws IOException {
        for (String file : List.of(
                "bin/qemu-system-x86_64",
                "bin/passt",
                "share/cloche-guard",
                "share/cloche-tsc",
                "share/kernel/vmlinux",
                "share/initramfs",
                "share/programs/bin/passt",
                "share/programs/bin/mkfs.ext4")) {
            Path program = directory.resolve(file);
            Files.createDirectories(program.getParent());
            assertThat(Files.createFile(program).toFile().setExecutable(true)).isTrue();
        }
        Path programs = directory.resolve("share/programs/bin");
        assertThat(resources("auto").requirePasst()).isEqualTo(directory.resolve("bin/passt"));
        assertThat(resources("runtime").requirePasst()).isEqualTo(programs.resolve("passt"));
        assertThat(resources("runtime").requireFormatter()).isEqualTo(programs.resolve("mkfs.ext4"));
        Files.delete(directory.resolve("bin/passt"));
        assertThat(resources("auto").requirePasst()).isEqualTo(programs.resolve("passt"));
        Optional<Path> hosts = DiskTools.hostsFormatter();
        assertThat(resources("auto").formatter()).contains(hosts.orElse(programs.resolve("mkfs.ext4")));
        Files.delete(programs.resolve("mkfs.ext4"));
        assertThat(resources("auto").formatter()).isEqualTo(hosts);
        assertThatThrownBy(() -> resources("runtime"))
                .isInstanceOfSatisfying(
                        VmException.MissingResource.class,
                        e -> assertThat(e.getMessage()).contains("CLOCHE_PROGRAMS", "no mkfs.ext4"));
        Files.delete(programs.resolve("passt"));
        assertThatThrownBy(() -> resources("auto").requirePasst())
                .isInstanceOfSatisfying(
                        VmException.MissingResource.class,
                        e -> assertThat(e.remedy()).contains("Install passt"));
        assertThatThrownBy(() -> resources("mine\u001b"))
                .isInstanceOfSatisfying(
                        VmException.MissingResource.class,
                        e -> assertThat(e.getMessage())
                                .contains("CLOCHE_PROGRAMS")
                                .doesNotContain("\u001b"));
    }

    private VmResources resources(String programs) {
        Map<String, String> environment =
                Map.of("PATH", directory.resolve("bin").toString(), "CLOCHE_PROGRAMS", programs);
        return VmResources.find(List.of(directory.resolve("share")), environment, ResourceOrigin.unknown());
    }

    private static Path qemu(List<Path> share, Map<String, String> environment) {
        return VmResources.find(share, environment, ResourceOrigin.unknown()).qemu();
    }

    @Test
    void aGuestsTextCannotMoveAPersonsCursor() {
        assertThat(Printable.lines("a\u001b[2Jb\r\u202ec\nd")).isEqualTo("a\uFFFD[2Jb\uFFFD\uFFFDc\nd");
    }
}
