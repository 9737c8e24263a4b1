package dev.cloche.vmm;

import dev.cloche.base.Deadline;
import dev.cloche.vm.SnapshotRef;

/** Captures one snapshot; closing it before it is published leaves nothing. Used by one thread. */
public interface SnapshotCapture extends AutoCloseable {
    /** Takes the state of the guest, which is halted. */
    void take(Deadline deadline);

    /** Notes on the VM's persistent disk, if it has one, that it is as of what was taken; the guest does not go on. */
    void suspendDisk();

    /** Puts what was taken into the store; the guest may run on meanwhile, unless it was a template's maker. */
    SnapshotRef publish();

    @Override
    void close();
}
