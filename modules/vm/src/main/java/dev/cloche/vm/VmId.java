package dev.cloche.vm;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * The name of a VM on its host: 1 to 40 characters of {@code a-z}, {@code 0-9} and {@code -}, beginning with a letter
 * or digit. It names a directory and sockets, which is why it is short and plain.
 */
public record VmId(String value) implements Comparable<VmId> {
    private static final Pattern VALID = Pattern.compile("[a-z0-9][a-z0-9-]{0,39}");
    private static final SecureRandom RANDOM = new SecureRandom();

    /** @throws VmException.Invalid if the name is not one of the form above */
    public VmId {
        if (!isValid(value)) {
            throw new VmException.Invalid(
                    "'" + value + "' is no VM id",
                    "Use 1 to 40 characters of a-z, 0-9 and '-', beginning with a letter or digit.");
        }
    }

    /** Returns a fresh id of 16 hexadecimal digits. */
    public static VmId random() {
        byte[] bytes = new byte[8];
        RANDOM.nextBytes(bytes);
        return new VmId(HexFormat.of().formatHex(bytes));
    }

    public static boolean isValid(String value) {
        return VALID.matcher(value).matches();
    }

    @Override
    public int compareTo(VmId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
