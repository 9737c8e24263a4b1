package dev.cloche.cli.terminal;

import java.util.Locale;

/** Words a count for people: {@code 1 image}, {@code 2 images}, {@code 0 processes}. */
public final class Quantity {
    private Quantity() {}

    /**
     * Returns the count with its noun.
     *
     * @param noun in the singular; its plural ends in {@code s}, or in {@code es} after {@code s}, {@code x} and {@code ch}
     */
    public static String of(long count, String noun) {
        return String.format(Locale.ROOT, "%d %s", count, count == 1 ? noun : noun + ending(noun));
    }

    private static String ending(String noun) {
        return noun.endsWith("s") || noun.endsWith("x") || noun.endsWith("ch") ? "es" : "s";
    }
}
