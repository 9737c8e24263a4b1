package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.qemu.disk.DiskThrottle;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.PersistentDisk;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vm.WritableLayer.Throttle;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What real guests get of a disk that is bounded. A bound is a lower bound of time, so a busy host fails none of these tests; and
 * what is not to wait for the bound has less time than it would take.
 */
class QemuThrottleIT extends QemuTest {
    private static final int IOPS = 50;
    private static final Throttle SLOW = Throttle.none().withIops(IOPS);
    private static final Throttle SLOWEST = Throttle.none().withBytesPerSecond(Throttle.MIN_BYTES);
    /** At {@link #SLOWEST} four minutes. */
    private static final int MIB = 16;

    private static final Duration LESS_THAN_THE_BOUND = Duration.ofMinutes(2);

    private PersistentDisk home;

    @BeforeEach
    void makeHome() {
        home = provider.disks().create(fixture.stateRoot().resolve("home"), 256);
    }

    private Vm begun(VmSpec spec) {
        Vm vm = provider.create(spec);
        vm.start(soon());
        return vm;
    }

    private VmSpec onHome(Throttle throttle) {
        return spec().withWritable(home.layer()).withThrottle(throttle);
    }

    private static ExecRequest reads(int count, String size) {
        return ExecRequest.of(
                "sh",
                "-c",
                "busybox dd if=/dev/vdb of=/dev/null iflag=direct bs=" + size + " count=" + count + " 2>/dev/null");
    }

    /** By the host's clock, which is QEMU's. */
    private Duration taking(Vm vm, ExecRequest request) throws IOException {
        long begin = System.nanoTime();
        assertThat(output(vm, request)).isEmpty();
        return Duration.ofNanos(System.nanoTime() - begin);
    }

    /** What so many requests take at least: a tenth of a second's worth, and one, come in one go. */
    private static Duration atLeast(int requests) {
        return Duration.ofMillis((requests - 1 - IOPS / 10) * 1000L / IOPS);
    }

    @Test
    void aGuestGetsNoMoreRequestsThanItsBoundSays() throws IOException {
        try (Vm vm = begun(onHome(SLOW))) {
            assertThat(taking(vm, reads(150, "4k"))).isGreaterThan(atLeast(150));
            assertThat(shell(vm, "set -- $(cat /sys/block/vdb/stat); [ $1 -ge 150 ] && echo counted"))
                    .isEqualTo("counted\n");
        }
    }

    @Test
    void aGuestGetsNoMoreBytesThanItsBoundSays() throws IOException {
        try (Vm vm = begun(spec().withWritable(WritableLayer.disk(64))
                .withThrottle(Throttle.none().withBytesPerSecond(1 << 20)))) {
            // 4 MiB, of which a tenth and a request come in one go.
            assertThat(taking(vm, reads(64, "64k"))).isGreaterThan(Duration.ofMillis(3800));
        }
    }

    @Test
    void theImageOfABoundGuestIsReadAsFastAsEver() throws IOException {
        // It is not the guest's own: at this bound 4,000 reads would take more than the deadline of the fixture.
        try (Vm vm = begun(onHome(Throttle.none().withIops(Throttle.MIN_IOPS)))) {
            String all =
                    "for i in $(busybox seq 40); do busybox dd if=/dev/vda of=/dev/null iflag=direct bs=4k count=100"
                            + " 2>/dev/null; done";
            assertThat(shell(vm, all)).isEmpty();
        }
    }

    @Test
    void aBoundThatIsLiftedHoldsNoRequestBack() throws Exception {
        try (Vm vm = begun(onHome(Throttle.none().withIops(Throttle.MIN_IOPS)))) {
            // More than the deadline of the fixture.
            try (GuestExecution dd = vm.guest().exec(reads(4_000, "4k"), soon())) {
                assertThat(shell(vm, "while set -- $(cat /sys/block/vdb/stat); [ $1 -lt 50 ]; do sleep 0.1; done"))
                        .isEmpty();
                provider.throttleDisk(vm.id(), Throttle::none, soon());
                assertThat(dd.await(soon())).isEqualTo(new ExitStatus.Exited(0));
            }
            provider.throttleDisk(vm.id(), () -> SLOW, soon());
            assertThat(taking(vm, reads(150, "4k"))).isGreaterThan(atLeast(150));
        }
    }

    @Test
    void anotherProcessBindsADiskToo() throws Exception {
        try (Vm vm = begun(onHome(Throttle.none()));
                QemuProvider other = fixture.open()) {
            other.throttleDisk(vm.id(), () -> SLOW, soon());
            assertThat(taking(vm, reads(150, "4k"))).isGreaterThan(atLeast(150));
        }
    }

    /** Has a guest hold back what at its bound takes four minutes to be written; returns its chemd5sum. */
    private String busy(Vm vm) throws IOException {
        String sum = shell(
                vm,
                "busybox dd if=/dev/urandom of=/root/large bs=1M count=" + MIB
                        + " 2>/dev/null; busybox md5sum < /root/large");
        vm.guest().exec(ExecRequest.of("busybox", "sync"), soon()).close();
        assertThat(shell(vm, "while set -- $(cat /sys/block/vdb/inflight); [ $2 -lt 4 ]; do sleep 0.05; done"))
                .isEmpty();
        return sum;
    }

    private String sumOnDisk(Vm vm) throws IOException {
        return shell(vm, "busybox sync; echo 3 > /proc/sys/vm/drop_caches; busybox md5sum < /root/large");
    }

    @Test
    void aSnapshotDoesNotWaitForTheBoundAndAClonesBoundIsItsOwn() throws IOException {
        SnapshotRef taken;
        String sum;
        try (Vm vm = begun(spec().withWritable(WritableLayer.disk(64)).withThrottle(SLOWEST))) {
            sum = busy(vm);
            taken = vm.snapshot(new SnapshotName("busy"), Deadline.after(LESS_THAN_THE_BOUND));
            assertThat(provider.spec(vm.id()).orElseThrow().throttle()).isEqualTo(SLOWEST);
        }
        try (Vm clone = clone(taken)) {
            assertThat(sumOnDisk(clone)).isEqualTo(sum);
        }
        try (Vm clone = begun(VmSpec.restored(VmId.random(), taken).withThrottle(SLOW))) {
            assertThat(taking(clone, reads(150, "4k"))).isGreaterThan(atLeast(150));
        }
    }

    @Test
    void aSuspensionDoesNotWaitForTheBound() throws IOException {
        SnapshotRef taken;
        String sum;
        try (Vm vm = begun(onHome(SLOWEST))) {
            sum = busy(vm);
            taken = vm.suspend(new SnapshotName("slow"), Deadline.after(LESS_THAN_THE_BOUND));
            vm.destroy();
        }
        try (Vm vm = begun(VmSpec.restored(VmId.random(), taken))) {
            assertThat(sumOnDisk(vm)).isEqualTo(sum);
        }
    }

    @Test
    void aSuspensionThatFailsLeavesTheBound() throws IOException {
        try (Vm vm = begun(onHome(SLOW))) {
            SnapshotName name = new SnapshotName("there");
            vm.snapshot(name, soon());
            assertThatThrownBy(() -> vm.suspend(name, soon())).isInstanceOf(SnapshotException.Exists.class);
            assertThat(taking(vm, reads(150, "4k"))).isGreaterThan(atLeast(150));
        }
    }

    @Test
    void aGuestThatIsStoppedLosesNothingToTheBound() throws IOException {
        String sum;
        try (Vm vm = begun(onHome(SLOWEST))) {
            sum = busy(vm);
            assertThat(vm.stop(Duration.ofSeconds(60), soon()).goodbye()).isPresent();
            vm.destroy();
        }
        try (Vm vm = begun(onHome(Throttle.none()))) {
            assertThat(sumOnDisk(vm)).isEqualTo(sum);
        }
    }

    @Test
    void aVmThatIsAdoptedIsBound() throws Exception {
        VmId id;
        try (Vm vm = begun(onHome(SLOW).withAttached(false))) {
            id = vm.id();
            // As a process leaves it that dies while it suspends it.
            new DiskThrottle(fixture.layout(), id).enforce(false, soon());
        }
        try (Vm vm = provider.adopt(id, soon())) {
            assertThat(taking(vm, reads(150, "4k"))).isGreaterThan(atLeast(150));
            vm.kill(soon());
        }
    }
}
