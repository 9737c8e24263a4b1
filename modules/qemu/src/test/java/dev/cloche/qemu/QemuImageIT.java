package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.qemu.disk.QemuImage;
import dev.cloche.qemu.guard.VmNote;
import dev.cloche.qemu.qmp.QemuMonitor;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Snapshots of VMs that boot from an image, a VMDK of several files, which QEMU by itself refuses to save. */
class QemuImageIT extends QemuTest {
    private static final SnapshotName NAME = new SnapshotName("image");
    /** Not in the guest's memory yet, so it is read from the disk. */
    private static final ExecRequest READ_THE_DISK =
            ExecRequest.of("sh", "-c", "echo 3 > /proc/sys/vm/drop_caches; busybox sha256sum < /bin/busybox");

    private static Path descriptor;

    @BeforeAll
    static void describeDisk() throws Exception {
        long sectors = Files.size(disk) / 512;
        descriptor = Files.writeString(shared.resolve("image.vmdk"), """
                # Disk DescriptorFile
                version=1
                CID=fffffffe
                parentCID=ffffffff
                createType="twoGbMaxExtentFlat"
                RW 8 FLAT "%1$s" 0
                RW %2$d FLAT "%1$s" 8

                ddb.adapterType = "lsilogic"
                """.formatted(disk.getFileName(), sectors - 8));
    }

    @Override
    public RootDisk rootDisk() {
        return RootDisk.vmdk(descriptor);
    }

    private static String digest() throws Exception {
        byte[] busybox = Files.readAllBytes(Path.of("/bin/busybox"));
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(busybox)) + "  -\n";
    }

    private void assertReads(Vm vm) throws Exception {
        assertThat(output(vm, READ_THE_DISK)).isEqualTo(digest());
    }

    @Test
    void clonesOfATemplateReadTheImage() throws Exception {
        SnapshotRef taken;
        try (Vm maker = provider.create(spec().asTemplateMaker())) {
            maker.start(soon());
            taken = maker.snapshot(NAME, soon());
            maker.destroy();
        }
        for (int i = 0; i < 2; i++) {
            try (Vm clone = provider.create(VmSpec.restored(VmId.random(), taken))) {
                clone.start(soon());
                assertReads(clone);
                clone.kill(soon());
                clone.destroy();
            }
        }
    }

    private Path vmDirectory(Vm vm) {
        return fixture.layout().directory(vm.id());
    }

    private void putAside(Vm vm, Deadline deadline, QemuImage.Saving saving) throws IOException {
        new QemuMonitor(fixture.layout(), vm.id()).converse(deadline, qemu -> {
            new QemuImage(rootDisk()).putAside(qemu, vmDirectory(vm), saving);
            return true;
        });
    }

    @Test
    void aGuestWhoseStateCouldNotBeSavedGetsItsImageBack() throws Exception {
        try (Vm vm = running()) {
            vm.pause(soon());
            assertThatThrownBy(() -> putAside(vm, soon(), () -> {
                        assertThat(VmNote.IMAGE_ASIDE.isIn(vmDirectory(vm))).isTrue();
                        throw new IOException("No space left on device");
                    }))
                    .hasMessage("No space left on device")
                    .hasNoSuppressedExceptions();
            assertThat(VmNote.IMAGE_ASIDE.isIn(vmDirectory(vm))).isFalse();
            vm.resume(soon());
            assertReads(vm);
        }
    }

    @Test
    void aGuestWhoseImageCannotBeBroughtBackIsEndedRatherThanResumed() throws Exception {
        try (Vm vm = running()) {
            vm.pause(soon());
            Deadline soonPassed = Deadline.after(Duration.ofSeconds(30));
            assertThatThrownBy(() -> putAside(vm, soonPassed, () -> {
                        // Otherwise it may answer before its answer is waited for.
                        signalQemu(vm, "-STOP");
                        Awaitility.await().until(soonPassed::passed);
                        throw new IOException("late");
                    }))
                    .hasMessage("late")
                    .satisfies(late -> assertThat(late.getSuppressed()).hasSize(1));
            signalQemu(vm, "-CONT");
            assertThatThrownBy(() -> vm.resume(soon())).isInstanceOf(VmException.ImageAside.class);
            assertThat(vm.awaitExit(soon()).cause()).isEqualTo(VmExit.Cause.KILLED);
        }
    }

    private void signalQemu(Vm vm, String signal) throws IOException {
        ProcessHandle qemu = GuardedQemu.of(provider, vm.id());
        Process kill = new ProcessBuilder("kill", signal, String.valueOf(qemu.pid())).start();
        assertThat(kill.onExit().join().exitValue()).isZero();
    }

    /** What a process leaves that is killed while it takes a snapshot. */
    private VmId leftBehind(boolean imageAside) throws Exception {
        try (Vm vm = running()) {
            vm.detach();
            VmNote.CAPTURING.leaveOrThrow(vmDirectory(vm));
            vm.guest().quiesce(soon());
            VmNote.IDENTITY_OWED.leaveOrThrow(vmDirectory(vm));
            vm.pause(soon());
            if (imageAside) {
                VmNote.IMAGE_ASIDE.leaveOrThrow(vmDirectory(vm));
            }
            return vm.id();
        }
    }

    @Test
    void anAdoptedVmWhoseSnapshotWasNotFinishedRuns() throws Exception {
        try (Vm vm = provider.adopt(leftBehind(false), soon())) {
            assertThat(vm.state()).isEqualTo(VmState.RUNNING);
            assertReads(vm);
            assertThat(VmNote.CAPTURING.isIn(vmDirectory(vm))).isFalse();
            vm.kill(soon());
        }
    }

    @Test
    void aClientOfAVmWhoseSnapshotWasNotFinishedFindsItRunning() throws Exception {
        try (Vm vm = provider.connect(leftBehind(false), soon())) {
            assertReads(vm);
            vm.kill(soon());
        }
    }

    @Test
    void aVmThatWasLeftWithoutItsImageIsEndedByWhoAdoptsIt() throws Exception {
        VmId id = leftBehind(true);
        assertThatThrownBy(() -> provider.adopt(id, soon())).isInstanceOf(VmException.ImageAside.class);
        Awaitility.await().until(() -> !provider.get(id).orElseThrow().state().live());
        provider.destroy(id);
    }

    @Test
    void aRunningVmGoesOnWithItsImageAfterEachSnapshot() throws Exception {
        try (Vm vm = running()) {
            SnapshotRef taken = vm.snapshot(NAME, soon());
            assertReads(vm);
            SnapshotRef second = vm.snapshot(new SnapshotName("again"), soon());
            assertReads(vm);
            for (SnapshotRef snapshot : new SnapshotRef[] {taken, second}) {
                try (Vm clone = provider.create(VmSpec.restored(VmId.random(), snapshot))) {
                    clone.start(soon());
                    assertReads(clone);
                    clone.kill(soon());
                    clone.destroy();
                }
            }
            vm.kill(soon());
            vm.destroy();
        }
    }
}
