package dev.cloche.vm;

import dev.cloche.base.Printable;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What can go wrong with a snapshot. */
public abstract sealed class SnapshotException extends VmException {
    private SnapshotException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }

    /** There is no such snapshot, or not any more. */
    public static final class NotFound extends SnapshotException {
        public NotFound(SnapshotName name) {
            super(
                    "vm.snapshot-not-found",
                    "There is no snapshot " + name + ", or not the one that was asked for any more",
                    "Take it anew, or choose another one.",
                    null);
        }
    }

    /** There is a snapshot of that name already. */
    public static final class Exists extends SnapshotException {
        public Exists(SnapshotName name) {
            super(
                    "vm.snapshot-exists",
                    "There is a snapshot " + name,
                    "Delete it first, or choose another name.",
                    null);
        }
    }

    /** The files of a snapshot are not as they were written. */
    public static final class Damaged extends SnapshotException {
        public Damaged(SnapshotName name, String what, @Nullable Throwable cause) {
            super(
                    "vm.snapshot-damaged",
                    "Snapshot " + name + " is damaged: " + what,
                    "Check the disk; delete the snapshot and take it anew.",
                    cause);
        }
    }

    /** A snapshot cannot be restored here, because something that a restore depends on is not as it was. */
    public static final class Mismatch extends SnapshotException {
        private final List<Difference> differences;

        /**
         * Describes one thing that is different.
         *
         * @param field its name, as in docs/on-disk.md
         * @param then what it was when the snapshot was taken
         * @param now what it is here
         */
        public record Difference(String field, String then, String now) {
            @Override
            public String toString() {
                return field + ": " + Printable.of(then) + " then, " + Printable.of(now) + " here";
            }
        }

        public Mismatch(SnapshotName name, List<Difference> differences) {
            super(
                    "vm.snapshot-mismatch",
                    "Snapshot " + name + " cannot be restored here, because something has changed: "
                            + differences.stream().map(Difference::toString).collect(Collectors.joining("; ")),
                    "It is whole, and can be restored with what it was taken with. " + otherEmulator(differences)
                            + "To go on without it, delete it and take it anew;"
                            + " stopping a suspended machine gives up its memory and keeps its disk.",
                    null);
            this.differences = List.copyOf(differences);
        }

        /** A host may have two: the system's and that of the runtime. */
        private static String otherEmulator(List<Difference> differences) {
            return differences.stream()
                            .anyMatch(difference -> difference.field().equals("qemuBinary"))
                    ? "If the QEMU of then is still on this host, CLOCHE_EMULATOR=system uses the system's, and"
                            + " CLOCHE_EMULATOR=auto the runtime's. "
                    : "";
        }

        /** Returns what is different, by field. */
        public List<Difference> differences() {
            return differences;
        }
    }
}
