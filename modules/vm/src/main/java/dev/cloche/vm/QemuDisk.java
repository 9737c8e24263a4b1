package dev.cloche.vm;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What snapshots do to the writable disk of a VM that runs, if it has one. */
final class QemuDisk {
    private static final String DEVICE = "upper";

    private QemuDisk() {}

    /**
     * Draws the layers of the disk together where one more would be too many. The guest runs meanwhile; QEMU copies what is in
     * the layers between the blank one and the top.
     */
    static void shorten(VmSpec spec, QemuGround ground, Deadline deadline) throws IOException {
        if (!(spec.writable() instanceof WritableLayer.Disk)) {
            return;
        }
        DiskChain chain = ground.disk(spec.id());
        List<Path> layers = chain.layers();
        if (layers.size() < DiskChain.MAX_LAYERS) {
            return;
        }
        Path blank = layers.getFirst();
        Map<String, String> end = new QemuMonitor(ground.layout(), spec.id()).converse(deadline, qemu -> {
            var _ = qemu.execute(new QmpCommand(
                    "block-stream",
                    Map.of(
                            "device", DEVICE,
                            "base", blank.toString(),
                            "backing-file", blank.getFileName().toString())));
            return qemu.event("BLOCK_JOB_COMPLETED");
        });
        if (end.containsKey("error")) {
            throw new IOException("the layers of the disk could not be drawn together: "
                    + Printable.of(end.getOrDefault("error", "")));
        }
        chain.forgetMiddle();
    }

    /**
     * Gives a snapshot the disk as it is now, and has the halted guest write to a new layer from now on.
     *
     * @return how many layers the snapshot has; 0 without a disk
     */
    static int share(VmSpec spec, QemuGround ground, QmpConversation qemu, Path snapshot) throws IOException {
        if (!(spec.writable() instanceof WritableLayer.Disk disk)) {
            return 0;
        }
        DiskChain chain = ground.disk(spec.id());
        int layers = chain.layers().size();
        Path next = chain.addLayer(disk.sizeMiB());
        try {
            var _ = qemu.execute(new QmpCommand(
                    "blockdev-snapshot-sync",
                    Map.of("device", DEVICE, "snapshot-file", next.toString(), "format", "qcow2", "mode", "existing")));
        } catch (VmMonitorException refused) {
            DurableFiles.deleteAfter(refused, next);
            throw refused;
        }
        chain.shareBelow(next, snapshot);
        return layers;
    }
}
