package dev.cloche.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.qemu.disk.DiskChain;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Writable disks of real VMs, and what snapshots and clones have of them. */
class QemuDiskIT extends QemuTest {
    /** What the agent does with the disk does not matter: it is seen here as a whole. */
    private static final String MOUNT = "busybox mkdir -p /tmp/disk && busybox mount -t ext4 /dev/vdb /tmp/disk";

    @Override
    public VmSpec spec() {
        return super.spec().withWritable(WritableLayer.disk(256));
    }

    @Test
    void aDiskIsBlankAndAsLargeAsAsked() throws IOException {
        try (Vm vm = running()) {
            assertThat(shell(vm, "cat /sys/block/vdb/serial /sys/block/vdb/size"))
                    .contains("cloche-upper", String.valueOf(256 * 2048));
            assertThat(shell(vm, MOUNT + " && busybox touch /tmp/disk/mine && cd /tmp/disk && echo *"))
                    .contains("mine");
            vm.kill(soon());
            vm.destroy();
        }
        try (Vm next = running()) {
            assertThat(shell(next, MOUNT + " && cd /tmp/disk && echo *")).doesNotContain("mine");
        }
    }

    @Test
    void clonesSeeWhatWasThereAtTheSnapshotAndNeverEachOthersWrites() throws IOException {
        SnapshotRef taken;
        try (Vm vm = running()) {
            assertThat(shell(vm, MOUNT + " && echo before > /tmp/disk/file")).isEmpty();
            taken = snapshot(vm, "s");
            assertThat(shell(vm, "echo after > /tmp/disk/file; busybox sync; cat /tmp/disk/file"))
                    .isEqualTo("after\n");
            try (Vm first = clone(taken);
                    Vm second = clone(taken)) {
                assertThat(shell(first, "cat /tmp/disk/file")).isEqualTo("before\n");
                String write = "echo $0 > /tmp/disk/file; busybox dd if=/dev/zero of=/tmp/disk/$0 bs=1M count=20"
                        + " 2>/dev/null; busybox sync; echo 3 > /proc/sys/vm/drop_caches; cat /tmp/disk/file";
                assertThat(output(first, ExecRequest.of("sh", "-c", write, "first")))
                        .isEqualTo("first\n");
                assertThat(shell(second, "cat /tmp/disk/file; echo /tmp/disk/first*"))
                        .isEqualTo("before\n/tmp/disk/first*\n");
                assertThat(output(second, ExecRequest.of("sh", "-c", write, "second")))
                        .isEqualTo("second\n");
                assertThat(shell(first, "echo 3 > /proc/sys/vm/drop_caches; cat /tmp/disk/file"))
                        .isEqualTo("first\n");
                assertThat(shell(vm, "echo 3 > /proc/sys/vm/drop_caches; cat /tmp/disk/file"))
                        .isEqualTo("after\n");
            }
        }
        try (Vm third = clone(taken)) {
            assertThat(shell(third, "echo 3 > /proc/sys/vm/drop_caches; cat /tmp/disk/file"))
                    .isEqualTo("before\n");
        }
    }

    @Test
    void aSnapshotNeedsNeitherItsVmNorTheSnapshotBelowIt() throws IOException {
        try (Vm vm = running()) {
            assertThat(shell(vm, MOUNT + " && echo 1 > /tmp/disk/one")).isEmpty();
            SnapshotRef first = snapshot(vm, "first");
            vm.kill(soon());
            vm.destroy();
            SnapshotRef second;
            try (Vm clone = clone(first)) {
                assertThat(shell(clone, "echo 2 > /tmp/disk/two")).isEmpty();
                second = snapshot(clone, "second");
                clone.kill(soon());
                clone.destroy();
            }
            provider.deleteSnapshot(first.name());
            try (Vm clone = clone(second)) {
                assertThat(shell(clone, "echo 3 > /proc/sys/vm/drop_caches; cat /tmp/disk/one /tmp/disk/two"))
                        .isEqualTo("1\n2\n");
            }
        }
    }

    @Test
    void aChainOfSnapshotsStaysShort() throws IOException {
        try (Vm vm = running()) {
            assertThat(shell(vm, MOUNT)).isEmpty();
            for (int i = 0; i < 6; i++) {
                assertThat(shell(vm, "echo " + i + " > /tmp/disk/file" + i)).isEmpty();
                SnapshotRef taken = snapshot(vm, "s" + i);
                assertThat(DiskChain.layers(fixture.layout().directory(vm.id())))
                        .hasSizeLessThanOrEqualTo(DiskChain.MAX_LAYERS);
                if (i == 5) {
                    try (Vm clone = clone(taken)) {
                        assertThat(shell(
                                        clone,
                                        "echo 3 > /proc/sys/vm/drop_caches; cat /tmp/disk/file? | busybox tr -d '\\n'"))
                                .isEqualTo("012345");
                        assertThat(DiskChain.layers(fixture.layout().directory(clone.id())))
                                .hasSizeLessThanOrEqualTo(DiskChain.MAX_LAYERS);
                    }
                }
            }
            try (Vm early = clone(provider.snapshot(new SnapshotName("s1")).orElseThrow())) {
                assertThat(shell(early, "echo 3 > /proc/sys/vm/drop_caches; cat /tmp/disk/file? | busybox tr -d '\\n'"))
                        .isEqualTo("01");
            }
        }
    }

    @Test
    void aTemplateWithADiskIsRestored() throws IOException {
        SnapshotRef taken;
        try (Vm maker = provider.create(spec().asTemplateMaker())) {
            maker.start(soon());
            assertThat(shell(maker, MOUNT + " && echo made > /tmp/disk/file")).isEmpty();
            taken = snapshot(maker, "t");
            maker.destroy();
        }
        try (Vm clone = clone(taken)) {
            assertThat(shell(clone, "echo 3 > /proc/sys/vm/drop_caches; cat /tmp/disk/file"))
                    .isEqualTo("made\n");
            assertThat(fixture.stateRoot().resolve("blank")).isDirectoryContaining("glob:**ext4-256.v2.raw");
        }
    }
}
