package dev.cloche;

import java.util.Locale;

/** How the library says what the rooms have constants for. */
final class Words {
    private Words() {}

    /** {@code START_TIMEOUT} is {@code start-timeout}. */
    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
