package dev.cloche.process;

import java.util.Comparator;

/** What every name in the registry has to keep to: ids, types, owners, sessions, keys. Stateless. */
final class Names {
    static final int LONGEST = 512;
    private static final int LONGEST_KEY = 4 * LONGEST;

    /** By code points, which is how both databases compare the bytes of UTF-8; Java's own order differs beyond U+FFFF. */
    static final Comparator<String> ORDER = Names::compare;

    private Names() {}

    /**
     * @throws ProcessException.Invalid if it is blank, longer than {@link #LONGEST}, or has control characters (which
     *     PostgreSQL cannot keep) or half a character (which UTF-8 cannot)
     */
    static String require(String what, String value) {
        return require(what, value, LONGEST);
    }

    /** As {@link #require}, but with room for the keys that the registry derives from two names. */
    static String requireKey(String what, String value) {
        return require(what, value, LONGEST_KEY);
    }

    private static String require(String what, String value, int longest) {
        if (value.isBlank()) {
            throw new ProcessException.Invalid(what + " is blank");
        }
        if (value.length() > longest) {
            throw new ProcessException.Invalid(what + " is longer than " + longest + " characters");
        }
        if (value.chars().anyMatch(Character::isISOControl)) {
            throw new ProcessException.Invalid(what + " has a control character");
        }
        if (hasHalfACharacter(value)) {
            throw new ProcessException.Invalid(what + " has an unpaired surrogate");
        }
        return value;
    }

    static boolean hasHalfACharacter(String value) {
        return value.codePoints()
                .anyMatch(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE);
    }

    private static int compare(String left, String right) {
        int shared = Math.min(left.length(), right.length());
        for (int i = 0; i < shared; i++) {
            if (left.charAt(i) != right.charAt(i)) {
                // From the differing unit on; a shared high surrogate before it makes both second halves.
                int from = i > 0 && Character.isHighSurrogate(left.charAt(i - 1)) ? i - 1 : i;
                return Integer.compare(left.codePointAt(from), right.codePointAt(from));
            }
        }
        return Integer.compare(left.length(), right.length());
    }
}
