package dev.cloche.qemu;

import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.testing.VmFixture;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests with real VMs: a state root and a provider for each, which end with it. They need QEMU, mkfs.erofs, a static busybox
 * and the built parts of the guest.
 */
abstract class QemuTest implements VmFixture {
    @TempDir
    static Path shared;

    static Path disk;
    static VmResources resources;

    @TempDir
    Path directory;

    QemuFixture fixture;
    QemuProvider provider;

    @BeforeAll
    static void makeDisk() throws Exception {
        resources = QemuInstallation.resources();
        disk = QemuInstallation.disk(shared);
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
        return RootDisk.raw(disk);
    }

    /** Returns where tests may make files and disks. */
    public Path hostDirectory() {
        return directory;
    }

    public String shell(Vm vm, String script) throws IOException {
        return output(vm, ExecRequest.of("sh", "-c", script));
    }

    public Vm clone(SnapshotRef snapshot) {
        Vm clone = provider.create(VmSpec.restored(VmId.random(), snapshot));
        clone.start(soon());
        return clone;
    }

    public SnapshotRef snapshot(Vm vm, String name) {
        return vm.snapshot(new SnapshotName(name), soon());
    }
}
