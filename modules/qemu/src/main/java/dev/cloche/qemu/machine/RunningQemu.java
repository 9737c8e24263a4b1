package dev.cloche.qemu.machine;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.disk.DiskThrottle;
import dev.cloche.qemu.disk.QemuDisk;
import dev.cloche.qemu.guard.Guard;
import dev.cloche.qemu.guard.GuardFiles;
import dev.cloche.qemu.guard.VmNote;
import dev.cloche.qemu.qmp.QemuMonitor;
import dev.cloche.qemu.qmp.QmpCommand;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmId;
import dev.cloche.vmm.RunningVm;
import dev.cloche.vmm.disk.DiskDirectory;
import dev.cloche.vmm.disk.DiskRecord;
import dev.cloche.vmm.disk.DiskStore;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Represents a VM of QEMU that runs, for the process that started it, one that adopted it, or one that is connected to it.
 */
public final class RunningQemu implements RunningVm {
    private final VmId id;
    private final Guard guard;
    private final ByteChannel channel;
    private final Optional<LockFile> portLock;
    private final VmLayout layout;
    private final GuardFiles files;
    private final QemuMonitor monitor;
    private final GuestPause pause;
    private final CompletableFuture<VmExit> ended;

    /** @param portLock of a client's port; let go of at the end */
    RunningQemu(Guard guard, ByteChannel channel, Optional<LockFile> portLock, VmLayout layout, VmId id) {
        this.id = id;
        this.guard = guard;
        this.channel = channel;
        this.portLock = portLock;
        this.layout = layout;
        files = new GuardFiles(layout.directory(id));
        monitor = new QemuMonitor(layout, id);
        pause = new GuestPause(layout, id);
        // The guard records the end before it exits.
        ended = guard.onEnd().thenApply(gone -> files.exitOrLost());
    }

    @Override
    public ByteChannel channel() {
        return channel;
    }

    @Override
    public CompletableFuture<VmExit> ended() {
        return ended;
    }

    @Override
    public void stopAsked() {
        files.stopAsked();
    }

    @Override
    public void kill() {
        guard.kill();
    }

    @Override
    public void pause(Deadline deadline) {
        pause.begin(deadline);
    }

    @Override
    public void resume(Deadline deadline) {
        pause.end(this::kill, deadline);
    }

    @Override
    public Optional<VmHindrance> hindrance() {
        return VmNote.hindrance(layout.directory(id));
    }

    @Override
    public void growDisk(int sizeMiB, Deadline deadline) {
        DiskDirectory disk = pause.disk().orElseThrow(() -> DiskStore.noDisk(id));
        try {
            var _ = monitor.converse(deadline, qemu -> {
                DiskRecord record = disk.read();
                DiskStore.requireGrowth(record, sizeMiB);
                // In this order: what a crash leaves out is made up for when a VM gets the disk.
                disk.write(record.withSize(sizeMiB));
                return qemu.execute(new QmpCommand(
                        "block_resize", Map.of("device", QemuDisk.DEVICE, "size", (long) sizeMiB << 20)));
            });
        } catch (IOException e) {
            throw new VmException.Monitor("QEMU cannot be reached for 'block_resize': " + e.getMessage(), e);
        }
    }

    @Override
    public void enforceThrottle(boolean bound, Deadline deadline) {
        new DiskThrottle(layout, id).enforce(bound, deadline);
    }

    @Override
    public void detach() {
        files.detach();
    }

    @Override
    public void close() {
        guard.close();
        portLock.ifPresent(LockFile::close);
    }
}
