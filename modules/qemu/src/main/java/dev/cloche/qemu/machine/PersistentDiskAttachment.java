package dev.cloche.qemu.machine;

import dev.cloche.qemu.disk.DiskChain;
import dev.cloche.qemu.disk.DiskTools;
import dev.cloche.qemu.launch.QemuLaunch;
import dev.cloche.vm.DiskException;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vmm.disk.DiskDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Attaches a persistent disk to a VM that is being started. Held until the VM's guard has it, or its start has failed. */
final class PersistentDiskAttachment implements AutoCloseable {
    private final DiskDirectory.Claim claim;
    private final DiskChain chain;

    /** @throws DiskException.InUse if a VM has it, or another call is changing it */
    PersistentDiskAttachment(Path directory, DiskTools tools) {
        claim = new DiskDirectory(directory).claim();
        chain = DiskChain.persistent(directory, tools);
    }

    /** For a guest that boots from it. */
    QemuLaunch.Disk asItIs() throws IOException {
        movesOn();
        chain.fit(claim.disk().read().sizeMiB());
        return launch();
    }

    /**
     * For the guest of a snapshot.
     *
     * @param layers the snapshot's
     * @throws DiskException.MovedOn if a guest may have written to it since
     */
    QemuLaunch.Disk asOf(SnapshotRef snapshot, DiskChain layers) throws IOException {
        claim.disk().requireAsOf(snapshot);
        // Nothing is lost by that: what came after the snapshot is of attempts to continue it, or of no guest.
        chain.goBack(layers, claim.disk().read().sizeMiB());
        return launch();
    }

    /** From here on a guest writes to it. */
    void movesOn() {
        claim.disk().movesOn();
    }

    private QemuLaunch.Disk launch() throws IOException {
        return new QemuLaunch.Disk(chain.whole(), Optional.of(claim.disk()));
    }

    @Override
    public void close() {
        claim.close();
    }
}
