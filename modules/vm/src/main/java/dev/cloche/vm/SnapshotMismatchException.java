package dev.cloche.vm;

import dev.cloche.base.Printable;
import java.util.List;
import java.util.stream.Collectors;

/** A snapshot cannot be restored here, because something that a restore depends on is not as it was. */
public final class SnapshotMismatchException extends VmException {
    private final List<Difference> differences;

    /**
     * One thing that is different.
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

    public SnapshotMismatchException(SnapshotName name, List<Difference> differences) {
        super(
                "vm.snapshot-mismatch",
                "Snapshot " + name + " cannot be restored here, because something has changed: "
                        + differences.stream().map(Difference::toString).collect(Collectors.joining("; ")),
                "It is whole, and can be restored with what it was taken with. To go on without it, delete it and take it anew;"
                        + " stopping a suspended machine gives up its memory and keeps its disk.",
                null);
        this.differences = List.copyOf(differences);
    }

    /** What is different, by field. */
    public List<Difference> differences() {
        return differences;
    }
}
