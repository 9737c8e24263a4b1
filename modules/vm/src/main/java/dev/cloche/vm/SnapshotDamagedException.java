package dev.cloche.vm;

import org.jspecify.annotations.Nullable;

/** The files of a snapshot are not as they were written. */
public final class SnapshotDamagedException extends VmException {
    public SnapshotDamagedException(SnapshotName name, String what, @Nullable Throwable cause) {
        super(
                "vm.snapshot-damaged",
                "Snapshot " + name + " is damaged: " + what,
                "Check the disk; delete the snapshot and take it anew.",
                cause);
    }
}
