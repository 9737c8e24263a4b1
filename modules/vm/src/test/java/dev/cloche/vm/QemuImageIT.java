package dev.cloche.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots of VMs that boot from an image, a VMDK of several files, which QEMU by itself refuses to save. */
@Timeout(300)
class QemuImageIT implements VmFixture {
    private static final SnapshotName NAME = new SnapshotName("image");
    /** Not in the guest's memory yet, so it is read from the disk. */
    private static final ExecRequest READ_THE_DISK =
            ExecRequest.of("sh", "-c", "echo 3 > /proc/sys/vm/drop_caches; busybox sha256sum < /bin/busybox");

    @TempDir
    static Path shared;

    private static VmResources resources;
    private static Path descriptor;

    @TempDir
    Path directory;

    private QemuFixture fixture;
    private QemuProvider provider;

    @BeforeAll
    static void makeDisk() throws Exception {
        resources = QemuParts.resources();
        Path disk = QemuParts.disk(shared);
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

    @BeforeEach
    void open() {
        fixture = new QemuFixture(directory, resources);
        provider = fixture.open();
    }

    @AfterEach
    void endEverything() throws IOException {
        provider.close();
        fixture.close();
    }

    @Override
    public VmProvider provider() {
        return provider;
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
