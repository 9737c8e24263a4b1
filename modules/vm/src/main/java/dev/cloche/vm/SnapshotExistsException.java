package dev.cloche.vm;

/** There is a snapshot of that name already. */
public final class SnapshotExistsException extends VmException {
    public SnapshotExistsException(SnapshotName name) {
        super("vm.snapshot-exists", "There is a snapshot " + name, "Delete it first, or choose another name.", null);
    }
}
