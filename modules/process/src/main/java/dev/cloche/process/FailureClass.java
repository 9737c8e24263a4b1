package dev.cloche.process;

import java.util.Locale;

/** Says what kind of thing went wrong with a process that failed. */
public enum FailureClass {
    INVALID_REQUEST,
    UNAVAILABLE,
    PERMISSION_DENIED,
    TIMEOUT,
    EXECUTION,
    EXTERNAL,
    RESOURCE_LIMIT,
    INTERNAL;

    /** Returns it in lower case, as it is stored and printed. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the inverse of {@link #word}. */
    public static FailureClass ofWord(String word) {
        for (FailureClass each : values()) {
            if (each.word().equals(word)) {
                return each;
            }
        }
        throw new ProcessException.Invalid("there is no failure class \"" + word + "\"");
    }
}
