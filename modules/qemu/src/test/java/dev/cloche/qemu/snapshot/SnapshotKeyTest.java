package dev.cloche.qemu.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.qemu.launch.QemuCommand;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What older snapshots and suspended machines have in their keys: a change of it makes all of them useless. */
class SnapshotKeyTest {
    @Test
    void devicesAreThoseOfSnapshotsThatAreThere() {
        VmSpec spec = VmSpec.of(new VmId("web"), RootDisk.raw(Path.of("/image")))
                .withWritable(new WritableLayer.Disk(64))
                .withOutputLogBytes(1 << 20)
                .withNetwork(NetworkSpec.user());

        assertThat(QemuCommand.devices(spec, new TreeSet<>(List.of(1, 7))))
                .containsExactly(
                        "virtio-blk-device,drive=root",
                        "virtio-blk-device,drive=upper,serial=cloche-upper",
                        "virtio-serial-device,max_ports=16",
                        "virtserialport,chardev=c0,name=cloche.0,nr=1",
                        "virtserialport,chardev=goodbye,name=cloche.goodbye,nr=9",
                        "virtserialport,chardev=log,name=cloche.log,nr=10",
                        "virtio-net-device,netdev=net,mac=02:c1:0c:00:00:01",
                        "virtserialport,chardev=c1,name=cloche.1,nr=2,id=p1",
                        "virtserialport,chardev=c7,name=cloche.7,nr=8,id=p7");
    }
}
