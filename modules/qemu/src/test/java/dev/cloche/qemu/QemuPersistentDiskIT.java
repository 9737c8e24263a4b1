package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.qemu.disk.DiskChain;
import dev.cloche.qemu.guard.VmNote;
import dev.cloche.vm.DiskException;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.PersistentDisk;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vmm.disk.DiskDirectory;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Persistent disks of real VMs: what only QEMU, a kernel and a file system can show. */
class QemuPersistentDiskIT extends QemuTest {
    private static final String COUNT = "i=0; while :; do i=$((i+1));"
            + " echo $i > /root/next; busybox mv /root/next /root/count; sleep 0.05; done";
    /** Of ext4: s_feature_incompat, whose bit 2 says that the journal has to be replayed. */
    private static final int INCOMPATIBLE = 1024 + 0x60;

    private static final int RECOVER = 0x4;

    private PersistentDisk home;

    @BeforeEach
    void makeHome() {
        home = provider.disks().create(fixture.stateRoot().resolve("home"), 256);
    }

    private Vm on(PersistentDisk disk) {
        Vm vm = provider.create(spec().withWritable(disk.layer()));
        vm.start(soon());
        return vm;
    }

    private void stop(Vm vm) {
        assertThat(vm.stop(Duration.ofSeconds(5), soon()).goodbye()).isPresent();
        vm.destroy();
    }

    private ProcessHandle qemu(Vm vm) {
        return GuardedQemu.of(provider, vm.id());
    }

    private static boolean needsRecovery(PersistentDisk disk) throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(disk.directory().resolve("disk.0").toFile(), "r")) {
            file.seek(INCOMPATIBLE);
            return (file.readByte() & RECOVER) != 0;
        }
    }

    @Test
    void whatAGuestHasFlushedSurvivesTheDeathOfQemu() throws Exception {
        try (Vm vm = on(home)) {
            ProcessHandle qemu = qemu(vm);
            // The guest's flush is the host's fdatasync: what a power cut leaves is what fsync(2) promises.
            assertThat(Files.readString(Path.of("/proc/" + qemu.pid() + "/cmdline")))
                    .contains("driver=raw,", ",cache=writeback");
            shell(
                    vm,
                    "echo kept | busybox dd of=/root/flushed conv=fsync 2>/dev/null; busybox sync /root; echo lost >"
                            + " /root/new");
            assertThat(needsRecovery(home)).isTrue();
            assertThat(qemu.destroyForcibly()).isTrue();
            assertThat(vm.awaitExit(soon()).crashed()).isTrue();
            vm.destroy();
        }
        try (Vm vm = on(home)) {
            assertThat(shell(vm, "cat /root/flushed")).isEqualTo("kept\n");
            stop(vm);
        }
    }

    @Test
    void aShutdownLeavesNothingToRecover() throws IOException {
        try (Vm vm = on(home)) {
            assertThat(shell(vm, "echo kept > /root/file")).isEmpty();
            assertThat(needsRecovery(home)).isTrue();
            stop(vm);
        }
        assertThat(needsRecovery(home)).isFalse();
    }

    @Test
    void aFileSystemGrowsUnderItsGuestAndAtItsBoot() throws IOException {
        try (Vm vm = on(home)) {
            long before = vm.guest().metrics(soon()).diskBytes().orElseThrow();
            vm.growDisk(512, soon());
            long after = vm.guest().metrics(soon()).diskBytes().orElseThrow();
            assertThat(after - before).isBetween(200L << 20, 256L << 20);
            assertThat(shell(
                            vm,
                            "busybox dd if=/dev/zero of=/root/large bs=1M count=300 conv=fsync 2>/dev/null"
                                    + " && busybox stat -c %s /root/large"))
                    .isEqualTo((300 << 20) + "\n");
            stop(vm);
        }
        assertThat(provider.disks().grow(home.directory(), 768).sizeMiB()).isEqualTo(768);
        try (Vm vm = on(home)) {
            assertThat(vm.guest().metrics(soon()).diskBytes().orElseThrow()).isGreaterThan(600L << 20);
            assertThat(shell(vm, "busybox stat -c %s /root/large")).isEqualTo((300 << 20) + "\n");
        }
    }

    @Test
    void aDiskWithLayersGrowsToo() throws IOException {
        try (Vm vm = on(home)) {
            var _ = snapshot(vm, "layered");
            vm.growDisk(320, soon());
            assertThat(vm.guest().metrics(soon()).diskBytes().orElseThrow()).isGreaterThan(270L << 20);
            stop(vm);
        }
        provider.disks().grow(home.directory(), 512);
        try (Vm vm = on(home)) {
            assertThat(vm.guest().metrics(soon()).diskBytes().orElseThrow()).isGreaterThan(440L << 20);
        }
    }

    @Test
    void aFullDiskIsItsGuestsAffairAlone() throws IOException {
        try (Vm vm = on(home)) {
            String fill = "busybox dd if=/dev/zero of=/root/all bs=1M 2>/dev/null;"
                    + " busybox dd if=/dev/zero of=/root/rest bs=1k 2>&1";
            try (GuestExecution dd = vm.guest().exec(ExecRequest.of("sh", "-c", fill), soon())) {
                assertThat(read(dd.stdout())).contains("No space left on device");
            }
            assertThat(shell(vm, "busybox rm /root/all; echo again > /root/more; cat /root/more"))
                    .isEqualTo("again\n");
            stop(vm);
        }
        try (Vm vm = on(home)) {
            assertThat(shell(vm, "cat /root/more")).isEqualTo("again\n");
        }
    }

    @Test
    void aGuestWhoseDiskIsFrozenTakesNoIdentityAndNoGrowthAndWritesOnceItThaws() throws IOException {
        try (Vm vm = on(home)) {
            Guest guest = vm.guest();
            guest.freeze(Duration.ofMinutes(5), soon());
            assertRefused(
                    GuestFailure.FROZEN,
                    () -> guest.configure(GuestIdentity.fresh("frozen", Clock.systemUTC()), soon()));
            assertRefused(GuestFailure.FROZEN, () -> vm.growDisk(512, soon()));
            try (GuestExecution writer =
                    guest.exec(ExecRequest.of("sh", "-c", "echo written > /root/file; echo done"), soon())) {
                guest.ping(soon());
                guest.thaw(soon());
                assertThat(read(writer.stdout())).isEqualTo("done\n");
            }
            guest.configure(GuestIdentity.fresh("thawed", Clock.systemUTC()), soon());
            vm.growDisk(512, soon());
            guest.freeze(Duration.ofSeconds(1), soon());
            assertThat(shell(vm, "echo thawed > /root/file; cat /root/file")).isEqualTo("thawed\n");
        }
    }

    @Test
    void aSuspendedMachineGoesOnWhereItWas() throws IOException {
        SnapshotRef taken;
        String boot;
        int counted;
        try (Vm vm = on(home)) {
            vm.guest().exec(ExecRequest.of("sh", "-c", COUNT), soon()).close();
            Awaitility.await().until(() -> count(vm) > 10);
            boot = shell(vm, "cat /proc/sys/kernel/random/boot_id");
            counted = count(vm);
            taken = vm.suspend(new SnapshotName("suspended"), soon());
            assertThat(vm.awaitExit(soon()).crashed()).isFalse();
            vm.destroy();
        }
        try (Vm vm = clone(taken)) {
            assertThat(shell(vm, "cat /proc/sys/kernel/random/boot_id")).isEqualTo(boot);
            int now = count(vm);
            assertThat(now).isGreaterThanOrEqualTo(counted);
            Awaitility.await().until(() -> count(vm) > now + 10);
            assertThat(shell(vm, "echo since > /root/since; busybox sync")).isEmpty();
            vm.kill(soon());
            vm.destroy();
        }
        try (Vm late = provider.create(VmSpec.restored(VmId.random(), taken))) {
            assertThatThrownBy(() -> late.start(soon())).isInstanceOf(DiskException.MovedOn.class);
        }
        try (Vm vm = on(home)) {
            assertThat(shell(vm, "cat /root/since; cat /root/count")).startsWith("since\n");
        }
    }

    private void forget(Optional<SnapshotRef> before) {
        before.ifPresent(snapshot -> provider.deleteSnapshot(snapshot.name()));
    }

    private int count(Vm vm) throws IOException {
        return Integer.parseInt(
                shell(vm, "cat /root/count 2>/dev/null || echo 0").strip());
    }

    @Test
    void aGuestThatWasSuspendedByHalfAndGoesOnIsNeverRolledBack() throws Exception {
        try (Vm vm = on(home)) {
            SnapshotRef taken = snapshot(vm, "half");
            vm.pause(soon());
            // What a process leaves that is killed between its record on the disk and the end of the VM.
            DiskDirectory record = new DiskDirectory(home.directory());
            VmNote.SUSPENDED.leaveOrThrow(fixture.layout().directory(vm.id()));
            record.write(record.read().suspendedAt(taken));
            try (Vm client = provider.create(VmSpec.restored(VmId.random(), taken))) {
                assertThatThrownBy(() -> client.start(soon())).isInstanceOf(DiskException.InUse.class);
            }
            vm.resume(soon());
            assertThat(provider.disks().find(home.directory()).orElseThrow().suspendedAt())
                    .isEmpty();
            assertThat(shell(vm, "echo since > /root/since; busybox sync")).isEmpty();
            vm.kill(soon());
            vm.destroy();
            try (Vm late = provider.create(VmSpec.restored(VmId.random(), taken))) {
                assertThatThrownBy(() -> late.start(soon())).isInstanceOf(DiskException.MovedOn.class);
            }
        }
    }

    @Test
    void aContinuationThatFailsCanBeTriedAgain() throws Exception {
        SnapshotRef taken;
        try (Vm vm = on(home)) {
            assertThat(shell(vm, "echo kept > /root/file")).isEmpty();
            taken = vm.suspend(new SnapshotName("twice"), soon());
            vm.destroy();
        }
        Path state = fixture.stateRoot().resolve("snapshots/twice/memory");
        byte[] whole = Files.readAllBytes(state);
        byte[] damaged = whole.clone();
        Arrays.fill(damaged, 0, 4096, (byte) 1);
        Files.write(state, damaged);
        try (Vm vm = provider.create(VmSpec.restored(VmId.random(), taken))) {
            assertThatThrownBy(() -> vm.start(soon())).isInstanceOf(VmException.class);
        }
        assertThat(provider.disks().find(home.directory()).orElseThrow().suspendedAt())
                .contains(taken.name());
        Files.write(state, whole);
        try (Vm vm = clone(taken)) {
            assertThat(shell(vm, "cat /root/file")).isEqualTo("kept\n");
        }
    }

    @Test
    void aDiskThatWasSuspendedManyTimesStaysShortAndWhole() throws IOException {
        List<String> written = new ArrayList<>();
        VmSpec next = spec().withWritable(home.layer());
        for (int i = 0; i < 6; i++) {
            try (Vm vm = provider.create(next)) {
                vm.start(soon());
                assertThat(shell(vm, "echo " + i + " > /root/file" + i)).isEmpty();
                written.add(String.valueOf(i));
                SnapshotRef taken = vm.suspend(new SnapshotName("s" + i), soon());
                vm.destroy();
                forget(next.snapshot());
                next = VmSpec.restored(VmId.random(), taken);
            }
            assertThat(DiskChain.layers(home.directory())).hasSizeLessThanOrEqualTo(DiskChain.MAX_LAYERS + 1);
        }
        try (Vm vm = on(home)) {
            assertThat(shell(vm, "cat /root/file? | busybox tr -d '\\n'")).isEqualTo(String.join("", written));
        }
    }
}
