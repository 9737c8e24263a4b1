package dev.cloche.vm;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What can go wrong with a persistent disk. */
public abstract sealed class DiskException extends VmException {
    private DiskException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }

    /** A persistent disk is used by a VM, or is being changed by another call. */
    public static final class InUse extends DiskException {
        public InUse(Path directory) {
            super(
                    "vm.disk-in-use",
                    "The disk in " + directory + " is used by a VM or is just being changed",
                    "Stop the VM that has it, or try again.",
                    null);
        }
    }

    /** There is no persistent disk in a directory. */
    public static final class NotFound extends DiskException {
        public NotFound(Path directory, @Nullable Throwable cause) {
            super(
                    "vm.disk-not-found",
                    "There is no disk in " + directory,
                    "Create it, or put back the directory that had it.",
                    cause);
        }
    }

    /** Where a persistent disk was to be made, there is something already. */
    public static final class Exists extends DiskException {
        public Exists(Path directory) {
            super(
                    "vm.disk-exists",
                    "A disk cannot be made in " + directory + ", because there is something already",
                    "Delete that disk, or choose another directory.",
                    null);
        }
    }

    /**
     * A snapshot cannot be continued on a persistent disk, because the disk is not, or no more, as it was at the snapshot: a VM has
     * used it since. Continuing would undo what that VM wrote.
     */
    public static final class MovedOn extends DiskException {
        public MovedOn(Path directory, SnapshotName name) {
            super(
                    "vm.disk-moved-on",
                    "The disk in " + directory + " is not as of snapshot " + name + ": a VM has used it since",
                    "Boot from the disk as it is now, and delete the snapshot; or make a new disk of the snapshot.",
                    null);
        }
    }
}
