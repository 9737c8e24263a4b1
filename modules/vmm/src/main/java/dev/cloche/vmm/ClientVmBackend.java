package dev.cloche.vmm;

import dev.cloche.base.Deadline;
import dev.cloche.vm.SnapshotName;
import java.time.Duration;
import java.util.Optional;

/** Stands in for the backend of a client, which is only connected to a VM and neither boots nor removes it. */
final class ClientVmBackend implements VmBackend {
    @Override
    public RunningVm boot(Deadline deadline) {
        throw new IllegalStateException("a connected VM runs already");
    }

    @Override
    public RunningVm load(Deadline deadline) {
        throw new IllegalStateException("a connected VM runs already");
    }

    @Override
    public SnapshotCapture capture(SnapshotName name, Deadline deadline) {
        throw new IllegalStateException("a connected VM belongs to another process");
    }

    @Override
    public void identityOwed(boolean owed) {
        throw new IllegalStateException("a connected VM belongs to another process");
    }

    @Override
    public boolean identityOwed() {
        return false;
    }

    @Override
    public void capturing(boolean halted) {
        throw new IllegalStateException("a connected VM belongs to another process");
    }

    @Override
    public boolean capturing() {
        return false;
    }

    @Override
    public boolean shelve() {
        return false;
    }

    @Override
    public boolean claim() {
        return false;
    }

    @Override
    public boolean limit(Duration longest) {
        throw new IllegalStateException("a connected VM belongs to another process");
    }

    @Override
    public void startFailed() {
        throw new IllegalStateException("a connected VM runs already");
    }

    @Override
    public String consoleTail() {
        return "";
    }

    @Override
    public Optional<String> advice() {
        throw new IllegalStateException("a connected VM runs already");
    }

    @Override
    public boolean mend() {
        throw new IllegalStateException("a connected VM runs already");
    }

    @Override
    public void destroy() {
        throw new IllegalStateException("a connected VM belongs to another process");
    }

    @Override
    public void release() {}
}
