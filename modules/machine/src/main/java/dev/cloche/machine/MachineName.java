package dev.cloche.machine;

import dev.cloche.base.Printable;
import java.util.regex.Pattern;

/**
 * Holds the name of a machine: 1 to 63 characters of {@code a-z}, {@code 0-9} and {@code -}, beginning with a letter or
 * digit. It names a directory and is its guest's host name; only checked names are ever joined to a path.
 */
public record MachineName(String value) implements Comparable<MachineName> {
    private static final Pattern VALID = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");

    /** @throws MachineException.Invalid if it is not of the form above */
    public MachineName {
        if (!isValid(value)) {
            throw new MachineException.Invalid(
                    "\"" + Printable.brief(value) + "\" is no name of a machine.",
                    "Use 1 to 63 characters of a-z, 0-9 and '-', beginning with a letter or digit.");
        }
    }

    public static boolean isValid(String value) {
        return VALID.matcher(value).matches();
    }

    @Override
    public int compareTo(MachineName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
