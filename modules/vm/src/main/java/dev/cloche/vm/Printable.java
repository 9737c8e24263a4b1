package dev.cloche.vm;

/** Makes a guest's text fit for a person's terminal. */
final class Printable {
    private Printable() {}

    /** Replaces control and format characters, except the newline and the tab, with U+FFFD. */
    static String of(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> out.appendCodePoint(harmless(c) ? c : 0xFFFD));
        return out.toString();
    }

    private static boolean harmless(int c) {
        if (c == '\n' || c == '\t') {
            return true;
        }
        return !Character.isISOControl(c)
                && Character.getType(c) != Character.FORMAT
                && Character.getType(c) != Character.SURROGATE;
    }
}
