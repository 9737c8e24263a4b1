package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.Deadline;
import dev.cloche.vm.BootPolicy;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.PersistentDisk;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmHindrance;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** VMs that live and do not work: whose disk is full, or whose QEMU is silent. */
@Timeout(1800)
class QemuHinderedIT extends QemuTest {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int MIB = 24;

    @BeforeEach
    void haveMorePatience() {
        provider.close();
        provider = new QemuProvider(fixture.layout(), resources, new BootPolicy(2, PATIENCE));
    }

    @Override
    public Deadline soon() {
        return Deadline.after(PATIENCE.multipliedBy(2));
    }

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    private static void assertHindered(VmHindrance why, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VmException.Hindered.class,
                        e -> assertThat(e.hindrance()).isEqualTo(why));
    }

    private void awaitHindrance(Vm vm, Optional<VmHindrance> expected) {
        await().atMost(PATIENCE).until(() -> provider.hindrance(vm.id()).equals(expected));
    }

    private static String digestOfWhatIsWritten() throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        byte[] line = "0123456789abcde\n".getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < MIB << 16; i++) {
            digest.update(line);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    @Test
    void aGuestOnAFullDiskIsHaltedAndGoesOnWithoutALostByte() throws Exception {
        Path small = Files.createDirectories(fixture.stateRoot().resolve("small"));
        Assumptions.assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=16m", "none", small.toString()) == 0,
                "a file system can be mounted by root only");
        try {
            PersistentDisk home = provider.disks().create(small.resolve("home"), 256);
            try (Vm vm = provider.create(spec().withWritable(home.layer()))) {
                vm.start(soon());
                fillsItsDisk(vm, small);
                vm.kill(soon());
                vm.destroy();
            }
        } finally {
            assertThat(run("umount", small.toString())).isZero();
        }
    }

    private void fillsItsDisk(Vm vm, Path small) throws Exception {
        String script = "busybox yes 0123456789abcde | busybox head -c " + (MIB << 20)
                + " > /root/big; busybox sync; echo 3 > /proc/sys/vm/drop_caches; busybox sha256sum < /root/big";
        try (GuestExecution writing = vm.guest().exec(ExecRequest.of("sh", "-c", script), soon())) {
            awaitHindrance(vm, Optional.of(VmHindrance.DISK_FULL));
            assertThat(vm.hindrance()).isPresent();
            assertHindered(VmHindrance.DISK_FULL, () -> vm.guest().ping(Deadline.none()));
            assertHindered(VmHindrance.DISK_FULL, () -> vm.guest().exec(ExecRequest.of("true"), Deadline.none()));
            assertHindered(VmHindrance.DISK_FULL, () -> provider.connect(vm.id(), Deadline.none()));
            assertHindered(VmHindrance.DISK_FULL, () -> snapshot(vm, "full"));
            assertHindered(VmHindrance.DISK_FULL, () -> vm.suspend(new SnapshotName("full"), Deadline.none()));
            // Halted on request in addition, it waits for the request to resume, even when there is space.
            provider.pause(vm.id(), soon());
            assertThat(layoutOf(vm).resolve("held")).exists();
            assertThat(run("mount", "-o", "remount,size=200m", small.toString()))
                    .isZero();
            provider.resume(vm.id(), soon());
            assertThat(layoutOf(vm).resolve("held")).doesNotExist();
            awaitHindrance(vm, Optional.empty());
            assertThat(read(writing.stdout()).strip()).isEqualTo(digestOfWhatIsWritten() + "  -");
            assertThat(writing.await(soon())).isEqualTo(new ExitStatus.Exited(0));
        }
    }

    /** A quota that holds for root too, on a file system with plenty of space. */
    @Test
    void aGuestWhoseQuotaIsUsedUpIsHaltedAndGoesOnWhenItIsRaised() throws Exception {
        Assumptions.assumeTrue(installed("mkfs.btrfs") && installed("btrfs"), "btrfs-progs is not installed");
        Path image = fixture.stateRoot().resolve("btrfs");
        Path mounted = Files.createDirectories(fixture.stateRoot().resolve("quota"));
        Path limited = mounted.resolve("limited");
        assertThat(run("truncate", "-s", "400M", image.toString())).isZero();
        assertThat(run("mkfs.btrfs", "-q", image.toString())).isZero();
        Assumptions.assumeTrue(
                run("mount", "-o", "loop", image.toString(), mounted.toString()) == 0,
                "btrfs can be mounted by root only, and by a kernel that has it");
        try {
            assertThat(run("btrfs", "quota", "enable", mounted.toString())).isZero();
            assertThat(run("btrfs", "subvolume", "create", limited.toString())).isZero();
            assertThat(run("btrfs", "qgroup", "limit", "12m", limited.toString()))
                    .isZero();
            PersistentDisk home = provider.disks().create(limited.resolve("home"), 256);
            try (Vm vm = provider.create(spec().withWritable(home.layer()))) {
                vm.start(soon());
                String script = "busybox yes 0123456789abcde | busybox head -c " + (MIB << 20)
                        + " > /root/big; busybox sync; echo 3 > /proc/sys/vm/drop_caches; busybox sha256sum < /root/big";
                try (GuestExecution writing = vm.guest().exec(ExecRequest.of("sh", "-c", script), soon())) {
                    awaitHindrance(vm, Optional.of(VmHindrance.DISK_FULL));
                    assertThat(mounted.toFile().getUsableSpace()).isGreaterThan(200L << 20);
                    assertHindered(VmHindrance.DISK_FULL, () -> vm.guest().ping(Deadline.none()));
                    assertThat(run("btrfs", "qgroup", "limit", "none", limited.toString()))
                            .isZero();
                    assertThat(read(writing.stdout()).strip()).isEqualTo(digestOfWhatIsWritten() + "  -");
                }
                awaitHindrance(vm, Optional.empty());
                vm.kill(soon());
                vm.destroy();
            }
        } finally {
            assertThat(run("umount", mounted.toString())).isZero();
        }
    }

    private static boolean installed(String tool) throws Exception {
        return run("sh", "-c", "command -v " + tool) == 0;
    }

    @Test
    void theGuardHasAGuestGoOnWithoutHelp() throws Exception {
        Path small = Files.createDirectories(fixture.stateRoot().resolve("small"));
        Assumptions.assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=16m", "none", small.toString()) == 0,
                "a file system can be mounted by root only");
        try {
            PersistentDisk home = provider.disks().create(small.resolve("home"), 256);
            try (Vm vm = provider.create(spec().withWritable(home.layer()))) {
                vm.start(soon());
                String script = "busybox head -c 20000000 /dev/zero > /root/big; busybox sync; echo done";
                try (GuestExecution writing = vm.guest().exec(ExecRequest.of("sh", "-c", script), soon())) {
                    awaitHindrance(vm, Optional.of(VmHindrance.DISK_FULL));
                    assertThat(run("mount", "-o", "remount,size=200m", small.toString()))
                            .isZero();
                    assertThat(read(writing.stdout())).isEqualTo("done\n");
                }
                awaitHindrance(vm, Optional.empty());
                vm.kill(soon());
                vm.destroy();
            }
        } finally {
            assertThat(run("umount", small.toString())).isZero();
        }
    }

    private Path layoutOf(Vm vm) {
        return fixture.layout().directory(vm.id());
    }

    private void freeze(Vm vm) throws Exception {
        ProcessHandle qemu = GuardedQemu.of(provider, vm.id());
        assertThat(run("kill", "-STOP", String.valueOf(qemu.pid()))).isZero();
    }

    @Test
    void aSilentVmIsStoppedHoweverManyHaveGivenItUpBefore() throws Exception {
        Vm vm = running();
        freeze(vm);
        // More than its monitor's queue holds.
        for (int i = 0; i < 4; i++) {
            assertThatThrownBy(() -> provider.connect(vm.id(), Deadline.after(Duration.ofSeconds(1))))
                    .isInstanceOf(VmException.Deadline.class);
        }
        assertThat(provider.stop(vm.id(), Duration.ofSeconds(1), Deadline.none())
                        .cause())
                .isEqualTo(VmExit.Cause.KILLED);
    }

    @Test
    void theEndThatIsAskedForIsNotPutOff() throws Exception {
        Vm vm = running();
        provider.endWithin(vm.id(), Duration.ofSeconds(1));
        assertThatThrownBy(() -> provider.limit(vm.id(), Duration.ofDays(1)))
                .isInstanceOf(VmException.WrongState.class);
        assertThat(vm.awaitExit(soon()).cause()).isEqualTo(VmExit.Cause.STOPPED);
    }

    @Test
    void aSilentVmEndsThoughWhoStoppedItIsGone() throws Exception {
        Vm vm = running();
        freeze(vm);
        provider.endWithin(vm.id(), Duration.ofMillis(100));
        assertThat(vm.awaitExit(soon()).cause()).isEqualTo(VmExit.Cause.STOPPED);
    }
}
