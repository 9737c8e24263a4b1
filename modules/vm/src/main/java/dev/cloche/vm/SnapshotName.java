package dev.cloche.vm;

import java.util.regex.Pattern;

/**
 * The name of a snapshot in its state root: 1 to 128 characters of {@code a-z}, {@code 0-9}, {@code .}, {@code _} and
 * {@code -}, beginning with a letter or digit. It names a directory.
 */
public record SnapshotName(String value) implements Comparable<SnapshotName> {
    private static final Pattern VALID = Pattern.compile("[a-z0-9][a-z0-9._-]{0,127}");

    /** @throws VmException.Invalid if the name is not one of the form above */
    public SnapshotName {
        if (!isValid(value)) {
            throw new VmException.Invalid(
                    "'" + value + "' is no name for a snapshot",
                    "Use 1 to 128 characters of a-z, 0-9, '.', '_' and '-', beginning with a letter or digit.");
        }
    }

    public static boolean isValid(String value) {
        return VALID.matcher(value).matches();
    }

    @Override
    public int compareTo(SnapshotName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
