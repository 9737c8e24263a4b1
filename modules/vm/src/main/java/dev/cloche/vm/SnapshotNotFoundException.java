package dev.cloche.vm;

/** There is no such snapshot, or not any more. */
public final class SnapshotNotFoundException extends VmException {
    public SnapshotNotFoundException(SnapshotName name) {
        super(
                "vm.snapshot-not-found",
                "There is no snapshot " + name + ", or not the one that was asked for any more",
                "Take it anew, or choose another one.",
                null);
    }
}
