package dev.cloche.vm.testing;

import dev.cloche.base.Deadline;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vmm.RunningVm;
import dev.cloche.vmm.disk.DiskDirectory;
import dev.cloche.vmm.disk.DiskRecord;
import dev.cloche.vmm.disk.DiskStore;
import java.nio.channels.ByteChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An in-memory guest as a handle sees it. */
final class InMemoryRunningVm implements RunningVm {
    private final VmSpec spec;
    private final InMemoryGuest guest;
    private final InMemoryFaults faults;
    private final ByteChannel channel;
    private final Runnable onDetach;
    private final Runnable onClose;

    InMemoryRunningVm(
            VmSpec spec,
            InMemoryGuest guest,
            InMemoryFaults faults,
            ByteChannel channel,
            Runnable onDetach,
            Runnable onClose) {
        this.spec = spec;
        this.guest = guest;
        this.faults = faults;
        this.channel = channel;
        this.onDetach = onDetach;
        this.onClose = onClose;
    }

    @Override
    public ByteChannel channel() {
        return channel;
    }

    @Override
    public CompletableFuture<VmExit> ended() {
        return guest.ended();
    }

    @Override
    public void stopAsked() {
        guest.stopAsked();
    }

    @Override
    public void kill() {
        guest.die(VmExit.Cause.KILLED);
    }

    @Override
    public void pause(Deadline deadline) {
        guest.pause().set(true);
    }

    @Override
    public void resume(Deadline deadline) {
        faults.begin(InMemoryFaults.Step.RESUME);
        disk().ifPresent(DiskDirectory::movesOn);
        guest.pause().set(false);
    }

    @Override
    public Optional<VmHindrance> hindrance() {
        return guest.pause().held() ? Optional.of(VmHindrance.HELD) : Optional.empty();
    }

    private Optional<DiskDirectory> disk() {
        return spec.writable() instanceof WritableLayer.Persistent(Path directory)
                ? Optional.of(new DiskDirectory(directory))
                : Optional.empty();
    }

    @Override
    public void growDisk(int sizeMiB, Deadline deadline) {
        DiskDirectory disk = disk().orElseThrow(() -> DiskStore.noDisk(spec.id()));
        DiskRecord record = disk.read();
        DiskStore.requireGrowth(record, sizeMiB);
        disk.write(record.withSize(sizeMiB));
    }

    /** Its guest writes to memory, as fast as it can. */
    @Override
    public void enforceThrottle(boolean bound, Deadline deadline) {}

    /** For a process that adopts it; a guest of this kind lives as long as its JVM in any case. */
    @Override
    public void detach() {
        onDetach.run();
    }

    @Override
    public void close() {
        onClose.run();
    }
}
