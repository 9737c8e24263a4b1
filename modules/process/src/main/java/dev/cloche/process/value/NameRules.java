package dev.cloche.process.value;

import dev.cloche.process.ProcessException;

/** Checks what every name in the registry has to keep to: ids, types, owners, sessions, keys. Stateless. */
public final class NameRules {
    static final int LONGEST = 512;
    private static final int LONGEST_KEY = 4 * LONGEST;

    private NameRules() {}

    /**
     * Returns the name if it is one.
     *
     * @throws ProcessException.Invalid if it is blank, longer than {@link #LONGEST}, or has control characters (which
     *     PostgreSQL cannot keep) or half a character (which UTF-8 cannot)
     */
    public static String require(String what, String value) {
        return require(what, value, LONGEST);
    }

    /** Does as {@link #require}, but with room for the keys that the registry derives from two names. */
    public static String requireKey(String what, String value) {
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

    public static boolean hasHalfACharacter(String value) {
        return value.codePoints()
                .anyMatch(point -> point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE);
    }
}
